/**
 * Writes src/virtual/default-roles.generated.json: the bootstrap roles that every tenant has, from a live API server.
 *
 *   node test/tools/default-roles.ts KUBECONFIG
 *
 * The rules of `admin`, `edit` and `view` are put together here from the roles that they aggregate, as the controller
 * of a full cluster would, so that a bare API server is enough.
 *
 * @see k8s.io/kubernetes pkg/controller/clusterroleaggregation at v1.36
 */
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { labelsOf, nameOf } from '../../src/k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/k8s/types.ts';
import { type Fetch, fetchFrom } from './live.ts';

const FILE = new URL('../../src/virtual/default-roles.generated.json', import.meta.url);
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = [
  'admin',
  'cluster-admin',
  'edit',
  'system:aggregate-to-admin',
  'system:aggregate-to-edit',
  'system:aggregate-to-view',
  'system:basic-user',
  'system:discovery',
  'system:public-info-viewer',
  'system:service-account-issuer-discovery',
  'view',
];
const BINDINGS = [
  'cluster-admin',
  'system:basic-user',
  'system:discovery',
  'system:public-info-viewer',
  'system:service-account-issuer-discovery',
];

/** `{clusterroles, clusterrolebindings}`, each sorted by name, with the metadata that does not depend on the cluster. */
export async function defaultRoles(fetch: Fetch): Promise<Record<string, JsonObject[]>> {
  const roles = await list(fetch, 'clusterroles');
  const bindings = await list(fetch, 'clusterrolebindings');
  return {
    clusterroles: pick(roles, ROLES).map((role) => stable('ClusterRole', { ...role, rules: aggregated(role, roles) })),
    clusterrolebindings: pick(bindings, BINDINGS).map((binding) => stable('ClusterRoleBinding', binding)),
  };
}

async function list(fetch: Fetch, resource: string): Promise<JsonObject[]> {
  const { items } = await fetch(`${RBAC}/${resource}`);
  return Array.isArray(items) ? items.filter(isObject) : [];
}

function pick(objects: readonly JsonObject[], names: readonly string[]): JsonObject[] {
  return names.map((name) => {
    const object = objects.find((one) => nameOf(one) === name);
    if (object === undefined) throw new Error(`the API server has no ${name}: is its RBAC bootstrap done?`);
    return object;
  });
}

function aggregated(role: JsonObject, all: readonly JsonObject[]): JsonValue[] {
  if (!isObject(role['aggregationRule'])) return rulesOf(role);
  const selectors = role['aggregationRule']['clusterRoleSelectors'] as JsonObject[];
  const rules: JsonValue[] = [];
  for (const selector of selectors) {
    const wanted = Object.entries(selector['matchLabels'] as JsonObject);
    const sources = all.filter((one) => wanted.every(([key, value]) => labelsOf(one)[key] === value));
    for (const source of sources.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
      // The rules of a role that is an aggregate itself are not stored on a bare API server.
      const own = nameOf(source) === nameOf(role) ? [] : aggregated(source, all);
      for (const rule of own) if (!rules.some((known) => isDeepStrictEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
}

function rulesOf(role: JsonObject): JsonValue[] {
  return Array.isArray(role['rules']) ? role['rules'] : [];
}

function stable(kind: string, object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  const { name, labels, annotations } = metadata as Record<string, JsonValue>;
  return {
    kind,
    apiVersion: 'rbac.authorization.k8s.io/v1',
    metadata: { name: name ?? '', ...(labels && { labels }), ...(annotations && { annotations }) },
    ...rest,
  };
}

if (import.meta.main) {
  const roles = await defaultRoles(fetchFrom(process.argv[2] ?? ''));
  writeFileSync(FILE, `${JSON.stringify(roles, null, 1)}\n`);
}
