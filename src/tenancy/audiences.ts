/**
 * Audiences of service-account tokens. Each that a tenant names is kept below the tenant's own, `kubeveil.dev/<uid>`, and
 * so is never that of the host's API, nor another tenant's. Its own is that of its API, by whatever name it is called.
 */
import { type Tenant, tokenAudience } from './tenant.ts';

/** By which clients name the API server itself: upstream these must never be asked for. */
const API_AUDIENCES: ReadonlySet<string> = new Set([
  'https://kubernetes.default.svc.cluster.local',
  'https://kubernetes.default.svc',
  'kubernetes.default.svc',
  'api',
]);

/** `vault` -> `kubeveil.dev/<uid>/vault`. What is upstream's already, as the token says it, stays. */
export function audienceToUpstream(tenant: Pick<Tenant, 'uid'>, audience: string): string {
  const own = tokenAudience(tenant);
  if (API_AUDIENCES.has(audience)) return own;
  return audience === own || audience.startsWith(`${own}/`) ? audience : `${own}/${audience}`;
}

/** The tenant's own is shown as it is: it has no other name that is surely the one by which it was asked for. */
export function audienceToTenant(tenant: Pick<Tenant, 'uid'>, audience: string): string {
  const below = `${tokenAudience(tenant)}/`;
  return audience.startsWith(below) ? audience.slice(below.length) : audience;
}
