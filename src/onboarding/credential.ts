/**
 * A credential for one user of a tenant, as an entry of a kubeconfig: a client certificate that the tenant's own CA signs,
 * and where the proxy is.
 */
import { readFileSync } from 'node:fs';
import { nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { issueClient } from '../pki/certificates.ts';
import type { Entry } from './kubeconfig.ts';
import { isStuck, phaseOf, type Tenants, wordOf } from './tenants.ts';

/** Members administer their tenant, and nothing outside of it. */
const ADMINISTRATORS = 'system:masters';

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

/** Issues the certificate. Context and cluster are called `kubeveil-acme`, the user `kubeveil-acme-alice`. */
export async function issueEntry(
  tenants: Tenants,
  tenant: JsonObject,
  who: UserOfTenant,
  { server, certificateAuthority }: ProxyAt = {},
): Promise<Entry> {
  const published =
    server === undefined || certificateAuthority === undefined ? await tenants.proxyAddress() : undefined;
  const context = `kubeveil-${nameOf(tenant)}`;
  return {
    context,
    cluster: context,
    user: `${context}-${who.user}`,
    server: server ?? published?.server ?? '',
    caPem: certificateAuthority === undefined ? (published?.caPem ?? '') : readFileSync(certificateAuthority, 'utf8'),
    credential: await issueClient(await tenants.clientCa(tenant), who),
  };
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
