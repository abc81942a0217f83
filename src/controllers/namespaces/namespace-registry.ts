/**
 * The namespaces of tenants. One is a tenant's own when its name, its label and the uid it was made for all say so: what
 * an earlier tenant of the same id left behind is nobody's.
 */
import { notSynced } from '../../errors.ts';
import type { Informer } from '../../k8s/informer.ts';
import { isTerminating, uidOf } from '../../k8s/meta.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { NamespaceRegistry } from '../../ports.ts';
import { type TenantId, type TenantName, toUpstreamName } from '../../tenancy/names.ts';
import { isOfTenant } from '../host/host-objects.ts';
import type { NamespaceProofs } from './namespace-proofs.ts';

export interface NamespaceRegistryOptions {
  namespaces: Informer;
  tenants: Informer;
  proofs: NamespaceProofs;
}

export function createNamespaceRegistry({ namespaces, tenants, proofs }: NamespaceRegistryOptions): NamespaceRegistry {
  function own(tenant: TenantId, name: TenantName): JsonObject | undefined {
    if (!namespaces.synced || !tenants.synced) throw notSynced('namespaces');
    const namespace = namespaces.get('', toUpstreamName(tenant, name));
    const live = tenants.get('', tenant);
    if (namespace === undefined || live === undefined) return undefined;
    return isOfTenant(namespace, { id: tenant, uid: uidOf(live) }) ? namespace : undefined;
  }

  return {
    state(tenant, name) {
      const namespace = own(tenant, name);
      if (namespace === undefined) return 'absent';
      if (isTerminating(namespace)) return 'terminating';
      return proofs.has(toUpstreamName(tenant, name), uidOf(namespace)) ? 'ready' : 'pending';
    },
    get: own,
  };
}
