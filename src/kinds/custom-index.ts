/**
 * The custom kinds of all tenants, kept current from the informer of CRDs.
 *
 * One map per tenant, so that a look-up can only ever find the asker's own kinds.
 *
 * @invariant a kind is found under the tenant whose label and group prefix its CRD carries (registry.test.ts).
 */
import type { Informer, InformerEvent } from '../k8s/informer.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { TenantId } from '../tenancy/names.ts';
import { type CustomKinds, readCustomKinds } from './custom.ts';
import type { KindAtVersion } from './kind.ts';
import { resourceKey } from './row.ts';

interface TenantKinds {
  readonly byResource: Map<string, CustomKinds>;
  readonly byKind: Map<string, CustomKinds>;
}

/** Look-ups give the served versions, the one that discovery names first at the front. */
export interface CustomIndex {
  byResource(tenant: TenantId, group: string, resource: string): ReadonlyMap<string, KindAtVersion> | undefined;
  byKind(tenant: TenantId, group: string, kind: string): ReadonlyMap<string, KindAtVersion> | undefined;
  list(tenant: TenantId): Iterable<KindAtVersion>;
}

export function createCustomIndex(crds: Pick<Informer, 'subscribe'>): CustomIndex {
  const tenants = new Map<TenantId, TenantKinds>();

  function add(object: JsonObject): void {
    const custom = readCustomKinds(object);
    if (custom === undefined) return;
    const kinds = tenants.get(custom.tenant) ?? { byResource: new Map(), byKind: new Map() };
    tenants.set(custom.tenant, kinds);
    kinds.byResource.set(resourceKey(custom.group, custom.resource), custom);
    kinds.byKind.set(resourceKey(custom.group, custom.kind), custom);
  }

  function remove(object: JsonObject): void {
    const custom = readCustomKinds(object);
    const kinds = custom && tenants.get(custom.tenant);
    if (!kinds) return;
    kinds.byResource.delete(resourceKey(custom.group, custom.resource));
    kinds.byKind.delete(resourceKey(custom.group, custom.kind));
    if (kinds.byResource.size === 0) tenants.delete(custom.tenant);
  }

  function follow(event: InformerEvent): void {
    if (event.previous !== undefined) remove(event.previous);
    if (event.type === 'deleted') remove(event.object);
    else add(event.object);
  }

  crds.subscribe(follow);
  return {
    byResource: (tenant, group, resource) =>
      tenants.get(tenant)?.byResource.get(resourceKey(group, resource))?.versions,
    byKind: (tenant, group, kind) => tenants.get(tenant)?.byKind.get(resourceKey(group, kind))?.versions,
    *list(tenant) {
      for (const custom of tenants.get(tenant)?.byResource.values() ?? []) yield* custom.versions.values();
    },
  };
}
