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

function apiKind(kind: Omit<ApiKind, 'collection'>): ApiKind {
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

export interface ServedKind extends ApiKind {
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  /** By subresource. */
  readonly subresourceVerbs: Readonly<Record<string, readonly string[]>>;
}

/** Every kind that discovery tells of, at every version. `read` gets a JSON document. */
export async function servedKinds(read: (path: string, accept: string) => Promise<unknown>): Promise<ServedKind[]> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const documents = (await Promise.all(['/api', '/apis'].map((path) => read(path, accept)))) as Discovery[];
  return documents
    .flatMap(({ items }) => items)
    .flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.map(({ resource, scope, verbs, responseKind, subresources = [] }) => ({
          ...apiKind({
            group: metadata.name ?? '',
            version,
            resource,
            kind: responseKind.kind,
            namespaced: scope === 'Namespaced',
          }),
          verbs,
          subresources: subresources.map(({ subresource }) => subresource),
          subresourceVerbs: Object.fromEntries(subresources.map((one) => [one.subresource, one.verbs])),
        })),
      ),
    );
}

interface Discovery {
  items: {
    metadata: { name?: string };
    versions: {
      version: string;
      resources: {
        resource: string;
        scope: string;
        verbs: string[];
        responseKind: { kind: string };
        subresources?: { subresource: string; verbs: string[] }[];
      }[];
    }[];
  }[];
}
