/**
 * Discovery documents made from a tenant's catalog: aggregated (v2, v2beta1) and the older one document per group.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api
 */
import { apiVersionOf, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { Catalog, CatalogVersion } from './catalog.ts';
import type { Entry } from './entry.ts';

/** `/api` or `/apis` as an APIGroupDiscoveryList. */
export function aggregated(catalog: Catalog, legacy: boolean, version: string): JsonObject {
  const items: JsonValue[] = [];
  for (const [group, versions] of catalog) {
    if ((group === '') !== legacy) continue;
    items.push({
      metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
      versions: versions.map((one) => ({
        version: one.version,
        resources: one.entries.map((entry) => aggregatedEntry(group, one.version, entry)),
        freshness: 'Current',
      })),
    });
  }
  return { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
}

function aggregatedEntry(group: string, version: string, entry: Entry): JsonObject {
  return {
    resource: entry.resource,
    responseKind: { group, version, kind: entry.kind },
    scope: entry.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: entry.singular,
    verbs: [...entry.verbs],
    ...filled('shortNames', entry.shortNames),
    ...filled('categories', entry.categories),
    ...(entry.subresources.length === 0
      ? {}
      : { subresources: entry.subresources.map(({ verbs, ...sub }) => ({ ...sub, verbs: [...verbs] })) }),
  };
}

/** `/api` in the old form. */
export function apiVersions(catalog: Catalog): JsonObject {
  const versions = (catalog.get('') ?? []).map((one) => one.version);
  return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [] };
}

/** `/apis` in the old form. */
export function apiGroupList(catalog: Catalog): JsonObject {
  const groups = [...catalog].filter(([group]) => group !== '').map(([group, versions]) => groupBody(group, versions));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** `/apis/apps`. */
export function apiGroup(group: string, versions: readonly CatalogVersion[]): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group, versions) };
}

function groupBody(group: string, versions: readonly CatalogVersion[]): JsonObject {
  const listed = versions.map(({ version }) => ({ groupVersion: apiVersionOf(group, version), version }));
  return { name: group, versions: listed, preferredVersion: listed[0] ?? null };
}

/** `/apis/apps/v1`, `/api/v1`. */
export function apiResourceList(group: string, { version, entries }: CatalogVersion): JsonObject {
  const resources = entries.flatMap((entry) => [
    {
      name: entry.resource,
      singularName: entry.singular,
      namespaced: entry.namespaced,
      kind: entry.kind,
      verbs: [...entry.verbs],
      ...filled('shortNames', entry.shortNames),
      ...filled('categories', entry.categories),
    },
    ...entry.subresources.map(({ subresource, responseKind, verbs }) => ({
      name: `${entry.resource}/${subresource}`,
      singularName: '',
      namespaced: entry.namespaced,
      ...typeOf(responseKind, group, version),
      kind: responseKind.kind,
      verbs: [...verbs],
    })),
  ]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf(group, version), resources };
}

/** Of a subresource whose objects are not of the list's own version. Empty says nothing, and is left out as there. */
function typeOf(
  { group, version }: Entry['subresources'][number]['responseKind'],
  ofGroup: string,
  ofVersion: string,
): JsonObject {
  if (version === '' || (group === ofGroup && version === ofVersion)) return {};
  return { group, version };
}

function filled(key: string, values: readonly string[]): JsonObject {
  return values.length === 0 ? {} : { [key]: [...values] };
}
