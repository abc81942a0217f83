/**
 * Everything that one tenant has, by group and version, in the order in which discovery lists it: the host's order for
 * the host's groups, then the tenant's own by name.
 */
import type { Informer } from '../k8s/informer.ts';
import { nameOf } from '../k8s/meta.ts';
import { child, objects, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { ANY_RESOURCE, type KindAtVersion } from '../kinds/kind.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { builtInEntry, customEntry, type Entry } from './entry.ts';

export interface CatalogVersion {
  readonly version: string;
  readonly entries: readonly Entry[];
}

/** group -> versions, the preferred one first. */
export type Catalog = ReadonlyMap<string, readonly CatalogVersion[]>;

export interface CatalogSource {
  /** The host's aggregated discovery documents of `/api` and `/apis`, as last read. */
  hostDocuments(): readonly JsonObject[];
  listKinds(tenant: Tenant): Iterable<KindAtVersion>;
  /** CRDs of tenants, in upstream terms. */
  crds: Pick<Informer, 'get'>;
}

export function catalogOf(tenant: Tenant, source: CatalogSource): Catalog {
  const byGroup = new Map<string, Map<string, Map<string, KindAtVersion>>>();
  for (const at of source.listKinds(tenant)) {
    const versions = getOrMake(byGroup, at.kind.group, () => new Map());
    getOrMake(versions, at.version, () => new Map()).set(at.kind.resource, at);
  }
  const catalog = new Map<string, CatalogVersion[]>();
  for (const document of source.hostDocuments()) {
    for (const group of objects(document, 'items')) addHostGroup(catalog, byGroup, group);
  }
  const own = [...byGroup.entries()].filter(([, versions]) => isCustom(versions)).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [group, versions] of own) {
    const listed = [...versions].map(([version, kinds]) => ({
      version,
      entries: customEntries(kinds, source, tenant.id),
    }));
    catalog.set(group, listed);
  }
  return catalog;
}

function addHostGroup(
  catalog: Map<string, CatalogVersion[]>,
  byGroup: Map<string, Map<string, Map<string, KindAtVersion>>>,
  host: JsonObject,
): void {
  const group = text(child(host, 'metadata'), 'name');
  const listed: CatalogVersion[] = [];
  for (const version of objects(host, 'versions')) {
    const kinds = byGroup.get(group)?.get(text(version, 'version'));
    if (kinds === undefined) continue;
    const entries = objects(version, 'resources').flatMap((resource) => {
      const at = kinds.get(text(resource, 'resource'));
      return at === undefined || at.kind.custom ? [] : [builtInEntry(at, resource)];
    });
    // What an adapter has is listed by what it measures, which is everybody’s: whose metrics there are is nobody’s to know.
    if (entries.length > 0 || kinds.has(ANY_RESOURCE)) listed.push({ version: text(version, 'version'), entries });
  }
  if (listed.length > 0) catalog.set(group, listed);
}

function isCustom(versions: Map<string, Map<string, KindAtVersion>>): boolean {
  return [...versions.values()].some((kinds) => [...kinds.values()].some((at) => at.kind.custom));
}

function customEntries(kinds: Map<string, KindAtVersion>, source: CatalogSource, tenant: TenantId): Entry[] {
  const entries: Entry[] = [];
  for (const at of kinds.values()) {
    // `/apis/acme--stable.example.com/v1` holds the group as upstream has it, and so the CRD's name.
    const group = at.upstreamRoot.split('/')[2];
    const crd = source.crds.get('', `${at.upstreamResource}.${group}`);
    if (crd !== undefined && nameOf(crd) !== '') entries.push(customEntry(at, crd, tenant));
  }
  return entries.sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
