/**
 * Which tenant a request says it is for: by the path (`/tenants/acme/api/...`). It is not trusted, and may be absent, since
 * a credential already says whose it is.
 */
import { noSuchPath } from '../errors.ts';
import type { Claim, RequestInfo } from '../exchange.ts';
import { type TenantId, tenantIdProblem } from '../tenancy/names.ts';

/** @throws {ApiError} ERR_NOT_FOUND for what is no tenant id */
export function locate({ claimed }: Pick<RequestInfo, 'claimed'>): Claim {
  if (claimed !== undefined && tenantIdProblem(claimed) !== undefined) throw noSuchPath('no-such-tenant');
  return { tenant: claimed as TenantId | undefined };
}
