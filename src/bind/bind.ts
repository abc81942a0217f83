/**
 * Ties an authenticated identity to its tenant: the tenant must live, be the very one that the credential was made for
 * (by uid, so that an id used again never meets old credentials), be in service, and be the one that was asked for.
 */
import { ApiError } from '../errors.ts';
import type { Authenticated, Claim } from '../exchange.ts';
import type { TenantRegistry } from '../ports.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** @throws {ApiError} ERR_UNAUTHORIZED for a credential of no living tenant, ERR_FORBIDDEN for another's or one not in service */
export function bind(authenticated: Authenticated, claim: Claim, tenants: TenantRegistry): Tenant {
  const tenant = tenants.get(authenticated.tenant);
  if (tenant === undefined || tenant.uid !== authenticated.tenantUid) {
    throw new ApiError('ERR_UNAUTHORIZED', 'Unauthorized: the credential is of a tenant that is no more', {
      why: 'tenant-gone',
    });
  }
  // The same answer whether the other tenant exists or not.
  if (claim.tenant !== undefined && claim.tenant !== tenant.id) {
    throw new ApiError('ERR_FORBIDDEN', 'the credential is not of the tenant that was asked for', {
      why: 'wrong-tenant',
    });
  }
  if (tenant.phase !== 'Active') {
    throw new ApiError('ERR_FORBIDDEN', `the virtual cluster is not in service (${tenant.phase}); ask its operator`, {
      why: 'tenant-not-active',
    });
  }
  return tenant;
}
