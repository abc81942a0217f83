/**
 * Which tenant a request says it is for: by the path (`/tenants/acme/api/...`), or by the name of the server that it asks
 * for (`acme.kubeveil.example.com`, in TLS or in its Host header), where the proxy has a name of its own to put one in
 * front of. It is not trusted, and may be absent, since a credential already says whose it is. All that it says must agree.
 */
import { ApiError, noSuchPath } from '../errors.ts';
import type { Claim, RequestHead, RequestInfo } from '../exchange.ts';
import { type TenantId, tenantIdProblem } from '../tenancy/names.ts';

/**
 * @param domain the proxy's own name, in lower case; undefined when it has none
 * @throws {ApiError} ERR_NOT_FOUND for what is no tenant id, ERR_FORBIDDEN for several
 */
export function locate(
  { claimed }: Pick<RequestInfo, 'claimed'>,
  { serverNames = [] }: Pick<RequestHead, 'serverNames'> = {},
  domain?: string,
): Claim {
  const below = domain === undefined ? [] : serverNames.filter((name) => name.endsWith(`.${domain}`));
  const named = below.map((name) => name.slice(0, -`.${domain}`.length));
  const claims = new Set(claimed === undefined ? named : [claimed, ...named]);
  for (const id of claims) if (tenantIdProblem(id) !== undefined) throw noSuchPath('no-such-tenant');
  if (claims.size > 1) {
    throw new ApiError('ERR_FORBIDDEN', 'the path and the names of the server ask for different tenants', {
      why: 'wrong-tenant',
    });
  }
  const [tenant] = claims;
  return { tenant: tenant as TenantId | undefined };
}

/** The name below which each tenant has one: of a URL whose host is a name of more than one part. */
export function tenantDomain(publicUrl: string | undefined): string | undefined {
  const name = publicUrl === undefined ? '' : new URL(publicUrl).hostname.toLowerCase();
  return /^[a-z0-9-]+(\.[a-z0-9-]*[a-z][a-z0-9-]*)+$/.test(name) ? name : undefined;
}
