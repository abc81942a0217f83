/**
 * The namespaces of tenants, by tenant. One is a tenant's own when its name, its label and the uid it was made for all
 * say so: what an earlier tenant of the same id left behind is nobody's.
 */
import { ApiError } from '../../errors.ts';
import type { Informer } from '../../k8s/informer.ts';
import { nameOf, uidOf } from '../../k8s/meta.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { NamespaceRegistry } from '../../ports.ts';
import {
  type TenantId,
  type TenantName,
  toTenantName,
  toUpstreamName,
  type UpstreamName,
} from '../../tenancy/names.ts';
import { TENANT_UID_ANNOTATION } from '../../tenancy/tenant.ts';
import { annotationOf, isTerminating, labelledOwner } from '../host/host-objects.ts';
import type { NamespaceProofs } from './namespace-proofs.ts';

export interface NamespaceRegistryOptions {
  namespaces: Informer;
  tenants: Informer;
  proofs: NamespaceProofs;
}

export function createNamespaceRegistry({ namespaces, tenants, proofs }: NamespaceRegistryOptions): NamespaceRegistry {
  const byTenant = new Map<TenantId, Set<TenantName>>();

  namespaces.subscribe(({ type, object }) => {
    const tenant = labelledOwner(object);
    const name = tenant && toTenantName(tenant, nameOf(object) as UpstreamName);
    if (tenant === undefined || name === undefined) return;
    const names = byTenant.get(tenant) ?? new Set();
    if (type === 'deleted') names.delete(name);
    else names.add(name);
    if (names.size === 0) byTenant.delete(tenant);
    else byTenant.set(tenant, names);
  });

  function owned(name: UpstreamName): { tenant: TenantId; namespace: JsonObject } | undefined {
    if (!namespaces.synced || !tenants.synced) {
      throw new ApiError('ERR_UNAVAILABLE', 'the proxy has not read the namespaces yet; try again', {
        why: 'namespaces-not-synced',
        details: { retryAfterSeconds: 1 },
      });
    }
    const namespace = namespaces.get('', name);
    const tenant = namespace && labelledOwner(namespace);
    const live = tenant && tenants.get('', tenant);
    if (namespace === undefined || tenant === undefined || live === undefined) return undefined;
    return annotationOf(namespace, TENANT_UID_ANNOTATION) === uidOf(live) ? { tenant, namespace } : undefined;
  }

  return {
    state(tenant, name) {
      const upstream = toUpstreamName(tenant, name);
      const namespace = owned(upstream)?.namespace;
      if (namespace === undefined) return 'absent';
      if (isTerminating(namespace)) return 'terminating';
      return proofs.has(upstream, uidOf(namespace)) ? 'ready' : 'pending';
    },
    get: (tenant, name) => owned(toUpstreamName(tenant, name))?.namespace,
    list: (tenant) =>
      [...(byTenant.get(tenant) ?? [])].filter((name) => owned(toUpstreamName(tenant, name)) !== undefined).sort(),
    ownerOf: (name) => owned(name)?.tenant,
  };
}
