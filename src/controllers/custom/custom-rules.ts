/**
 * Rights on the kinds that tenants define themselves, from their CustomResourceDefinitions. Only what a definition says
 * is there: its plural, and its subresources.
 */
import { labelsOf } from '../../k8s/meta.ts';
import { isObject, type JsonObject } from '../../k8s/types.ts';
import { TENANT_LABEL, type TenantId, tenantOf, type UpstreamName } from '../../tenancy/names.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

export interface CustomDefinition {
  readonly tenant: TenantId;
  /** With the tenant's prefix. */
  readonly group: string;
  readonly plural: string;
  readonly clusterScoped: boolean;
}

/** Reads a definition; undefined when the label and the prefix of the group do not name the same tenant. */
export function readDefinition(object: JsonObject): CustomDefinition | undefined {
  const spec = isObject(object['spec']) ? object['spec'] : {};
  const names = isObject(spec['names']) ? spec['names'] : {};
  const { group } = spec;
  const { plural } = names;
  if (typeof group !== 'string' || typeof plural !== 'string') return undefined;
  const tenant = tenantOf(group as UpstreamName);
  if (tenant === undefined || labelsOf(object)[TENANT_LABEL] !== tenant) return undefined;
  return { tenant, group, plural, clusterScoped: spec['scope'] === 'Cluster' };
}

export function definitionsOf(definitions: Iterable<JsonObject>, tenant: TenantId): CustomDefinition[] {
  return readAll(definitions).filter((definition) => definition.tenant === tenant);
}

/** All API groups of tenants, sorted. */
export function customGroups(definitions: Iterable<JsonObject>): string[] {
  return [...new Set(readAll(definitions).map(({ group }) => group))].sort();
}

/** Rules of ClusterRole `kubeveil:custom:<tenant>`: two a group, in a stable order. */
export function customRules(definitions: readonly CustomDefinition[]): JsonObject[] {
  const plurals = new Map<string, string[]>();
  for (const { group, plural } of definitions) plurals.set(group, [...(plurals.get(group) ?? []), plural]);
  return [...plurals]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([group, names]) => {
      const resources = names.sort();
      return [
        { apiGroups: [group], resources, verbs: [...VERBS] },
        {
          apiGroups: [group],
          resources: resources.flatMap((name) => [`${name}/finalizers`, `${name}/scale`, `${name}/status`]),
          verbs: [...SUBRESOURCE_VERBS],
        },
      ];
    });
}

function readAll(definitions: Iterable<JsonObject>): CustomDefinition[] {
  return [...definitions].map(readDefinition).filter((definition) => definition !== undefined);
}
