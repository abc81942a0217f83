/** Where objects of a kind live in the API, from the table of kinds, for tests that send plain requests. */
import type { JsonObject } from '../../src/k8s/types.ts';
import { KINDS } from '../../src/kinds/table.ts';

export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** `/apis/apps/v1/namespaces/web/deployments`; without a namespace that of the cluster. */
  collection(namespace?: string): string;
}

/** @throws when the kind is not in the table */
export function kindOf(object: JsonObject): ApiKind {
  const apiVersion = String(object['apiVersion']);
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
  const found = KINDS.find((kind) => kind.group === group && kind.kind === object['kind']);
  if (found === undefined) throw new Error(`no kind ${apiVersion} ${object['kind']}`);
  return apiKind({ ...found, version });
}

export function apiKind(kind: Omit<ApiKind, 'collection'>): ApiKind {
  const { group, version, resource, namespaced } = kind;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return {
    group,
    version,
    resource,
    kind: kind.kind,
    namespaced,
    collection: (namespace = '') =>
      namespace === '' ? `${root}/${resource}` : `${root}/namespaces/${namespace}/${resource}`,
  };
}
