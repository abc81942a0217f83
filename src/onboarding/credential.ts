/**
 * A credential for one user of a tenant, as an entry of a kubeconfig: a client certificate that the tenant's own CA signs,
 * and where the proxy is.
 */
import { readFileSync } from 'node:fs';
import { nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { issueClient } from '../pki/certificates.ts';
import type { Credential, Entry, OidcLogin } from './kubeconfig.ts';
import { type AccountName, isStuck, phaseOf, type Tenants, wordOf } from './tenants.ts';

/** Members administer their tenant, and nothing outside of it. */
const ADMINISTRATORS = 'system:masters';

export type Who =
  | UserOfTenant
  | { readonly account: AccountName; readonly ttlMs: number }
  | { readonly oidc: OidcLogin };

export interface UserOfTenant {
  readonly user: string;
  readonly groups: readonly string[];
  /** How long the certificate holds. */
  readonly ttlMs: number;
}

/** Where the proxy is, when it is not to be as the running proxy says it. */
export interface ProxyAt {
  readonly server?: string;
  /** File with the proxy's CA. */
  readonly certificateAuthority?: string;
}

/** Whoever is to have everything in a tenant. */
export function administrator(ttlMs: number): UserOfTenant {
  return { user: 'admin', groups: [ADMINISTRATORS], ttlMs };
}

/**
 * Issues the certificate or gets the token; nothing is needed for who logs in. Context and cluster are called
 * `kubeveil-acme`, the user `kubeveil-acme-alice`.
 */
export async function issueEntry(
  tenants: Tenants,
  tenant: JsonObject,
  who: Who,
  { server, certificateAuthority }: ProxyAt = {},
): Promise<Entry> {
  const published =
    server === undefined || certificateAuthority === undefined ? await tenants.proxyAddress() : undefined;
  const context = `kubeveil-${nameOf(tenant)}`;
  return {
    context,
    cluster: context,
    user: `${context}-${nameOfWho(who)}`,
    // A user of the identity provider may be one of several tenants.
    server: `${server ?? published?.server ?? ''}${'oidc' in who ? `/tenants/${nameOf(tenant)}` : ''}`,
    caPem: certificateAuthority === undefined ? (published?.caPem ?? '') : readFileSync(certificateAuthority, 'utf8'),
    credential: await credentialOf(tenants, tenant, who),
  };
}

async function credentialOf(tenants: Tenants, tenant: JsonObject, who: Who): Promise<Credential> {
  if ('oidc' in who) return { oidc: who.oidc };
  if ('account' in who) return { token: await tenants.accountToken(tenant, who.account, who.ttlMs) };
  return await issueClient(await tenants.clientCa(tenant), who);
}

function nameOfWho(who: Who): string {
  if ('oidc' in who) return 'oidc';
  return 'account' in who ? `${who.account.namespace}-${who.account.name}` : who.user;
}

/**
 * Waits until a tenant is in service.
 * @throws {Error} when it is deleted meanwhile, not there in time, or waits for its operator, with its own word on why
 */
export async function whenActive(tenants: Tenants, id: string, timeoutMs: number): Promise<JsonObject> {
  const decided = (seen: JsonObject | undefined) => phaseOf(seen) === 'Active' || isStuck(seen);
  const tenant = await tenants.waitFor(id, decided, timeoutMs);
  if (tenant === undefined) throw new Error(`tenant ${id} was deleted while it was being made`);
  if (phaseOf(tenant) === 'Active') return tenant;
  throw new Error(`tenant ${id} is there, but not in service: ${wordOf(tenant)}`);
}
