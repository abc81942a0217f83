/**
 * Which tenant a request says it is for: by the path (`/tenants/acme/api/...`) or by the TLS server name
 * (`acme.<suffix>`). Neither is trusted; both may be absent, since a credential already says whose it is.
 */
import { ApiError, noSuchPath } from '../errors.ts';
import type { Claim, RequestInfo } from '../exchange.ts';
import { type TenantId, tenantIdProblem } from './names.ts';

/** @throws {ApiError} ERR_BAD_REQUEST when path and server name disagree; ERR_NOT_FOUND for what is no tenant id */
export function locate(info: RequestInfo, serverName: string | undefined, serverNameSuffix: string | undefined): Claim {
  const byPath = info.claimed;
  const byName = tenantLabel(serverName, serverNameSuffix);
  if (byPath !== undefined && byName !== undefined && byPath !== byName) {
    throw new ApiError('ERR_BAD_REQUEST', 'the path and the server name are of different tenants', {
      why: 'claims-disagree',
    });
  }
  const claimed = byPath ?? byName;
  if (claimed !== undefined && tenantIdProblem(claimed) !== undefined) {
    throw noSuchPath('no-such-tenant');
  }
  return { tenant: claimed as TenantId | undefined };
}

function tenantLabel(serverName: string | undefined, suffix: string | undefined): string | undefined {
  if (serverName === undefined || suffix === undefined || !serverName.endsWith(`.${suffix}`)) return undefined;
  return serverName.slice(0, -suffix.length - 1);
}
