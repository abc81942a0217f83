/**
 * The scope of an object that is followed and not asked for: nobody's request, and of its tenant no more than the id is
 * known or needed. For kinds that are kept in their tenants' own terms, so that nothing in them names the host's.
 */
import type { KindRegistry } from '../kinds/kind.ts';
import { type TenantId, tenantNames } from '../tenancy/names.ts';
import { Renames } from './renames.ts';
import type { Scope } from './scope.ts';

export function scopeOfStored(id: TenantId, kinds: KindRegistry): Scope {
  return {
    names: tenantNames(id),
    tenant: { id, uid: '', createdAt: '', phase: 'Active', clientCaPem: '', policy: '' },
    kinds,
    namesHost: () => false,
    isOwnNamespace: () => false,
    renames: new Renames(),
  };
}
