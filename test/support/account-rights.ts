/** What `deploy/` gives an account of the proxy, right by right, for tests that try more or less than that. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { nameOf, namespaceOf } from '../../src/k8s/meta.ts';
import { objects, strings, text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';

const DEPLOY = new URL('../../deploy/', import.meta.url);

export interface Right {
  readonly verb: string;
  readonly group: string;
  /** `pods`, `pods/exec` */
  readonly resource: string;
  /** Where a Role gives it; everywhere when left out. */
  readonly namespace?: string;
  /** Of these names only; of any when left out. */
  readonly names?: readonly string[];
}

/** `list apps/deployments/scale`, as tests name a right. */
export function textOf({ verb, group, resource }: Right): string {
  return `${verb} ${group}/${resource}`;
}

function deployed(): JsonObject[] {
  return readdirSync(DEPLOY)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseAllDocuments(readFileSync(new URL(name, DEPLOY), 'utf8')))
    .map((document) => document.toJS() as JsonObject);
}

/** @param name of a ClusterRole */
export function rightsOfRole(name: string): Right[] {
  const role = deployed().find((one) => one['kind'] === 'ClusterRole' && nameOf(one) === name);
  if (role === undefined) throw new Error(`deploy/ has no ClusterRole ${name}`);
  return rightsIn(role);
}

/** @param account of a service account in `kubeveil-system` */
export function rightsOf(account: string): Right[] {
  const documents = deployed();
  const bound = documents.filter(
    (one) =>
      text(one, 'kind').endsWith('RoleBinding') &&
      objects(one, 'subjects').some(({ kind, name }) => kind === 'ServiceAccount' && name === account),
  );
  return bound.flatMap((binding) => {
    const { kind, name } = binding['roleRef'] as JsonObject;
    const role = documents.find((one) => one['kind'] === kind && nameOf(one) === name);
    if (role === undefined) throw new Error(`deploy/ binds ${name}, which it has not`);
    return rightsIn(role, namespaceOf(binding));
  });
}

/** @param namespace '' for a role that holds everywhere */
function rightsIn(role: JsonObject, namespace = ''): Right[] {
  return objects(role, 'rules').flatMap((rule) => {
    const names = strings(rule, 'resourceNames');
    const where = { ...(namespace !== '' && { namespace }), ...(names.length > 0 && { names }) };
    return strings(rule, 'apiGroups').flatMap((group) =>
      strings(rule, 'resources').flatMap((resource) =>
        strings(rule, 'verbs').map((verb) => ({ verb, group, resource, ...where })),
      ),
    );
  });
}
