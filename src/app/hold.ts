/**
 * The stage that holds an answer: the tenant must still be the one that the request was bound to, for while it was served
 * another may have come under the same name. An answer that lasts is judged again while it does, by what a new request of
 * the same sender would meet: authentication, the tenant's state, impersonation, what is offered, and the tenant's own
 * roles.
 */
import { type Authenticators, authenticate } from '../authn/authenticate.ts';
import { authorize } from '../authz/authorize.ts';
import { impersonate } from '../authz/impersonate.ts';
import { bind } from '../bind/bind.ts';
import { ApiError } from '../errors.ts';
import type { Authenticated } from '../exchange.ts';
import type { KindRegistry } from '../kinds/kind.ts';
import type { Judge, OpenStreams } from '../limit/open-streams.ts';
import type { Bound, Held, Stages } from '../pipeline.ts';
import { checkOffered } from '../policy/offer.ts';
import type { Authorizer, TenantRegistry } from '../ports.ts';
import { isLongRunning } from '../requestinfo/long-running.ts';
import type { Tenant } from '../tenancy/tenant.ts';

export interface HoldOptions {
  readonly tenants: TenantRegistry;
  readonly authenticators: Authenticators;
  readonly authorizer: Authorizer;
  readonly kinds: Pick<KindRegistry, 'byResource'>;
  readonly streams: Pick<OpenStreams, 'enter'>;
  readonly nowMs: () => number;
}

export function createHold(options: HoldOptions): Stages['hold'] {
  const { tenants, streams } = options;
  return (bound): Held | undefined => {
    const { info, authenticated, tenant } = bound;
    // A suspended tenant learns what became of a request that was taken before; one that is gone learns nothing.
    if (tenants.get(tenant.id)?.uid !== tenant.uid) throw gone();
    if (!isLongRunning(info)) return undefined;
    const { until, mayGoOn, leave } = streams.enter({
      tenant: () => bindAgain(authenticated, tenants),
      now: () => judgeNow(bound, options),
      credential: askedOfHost(bound, options),
    });
    return { until, mayGoOn, release: leave };
  };
}

function bindAgain(authenticated: Authenticated, tenants: TenantRegistry): Tenant {
  // What the request claimed was weighed when it came.
  return bind(authenticated, { tenant: undefined }, tenants);
}

/** All that memory can tell. */
function judgeNow({ incoming, info, authenticated }: Bound, options: HoldOptions): void {
  const { tenants, authenticators, authorizer, kinds, nowMs } = options;
  const { peerCertificate } = incoming.head;
  // A policy may have changed: the tenant as it is now.
  const tenant = bindAgain(authenticated, tenants);
  if (peerCertificate !== undefined) authenticators.clientCertificate(peerCertificate);
  if (nowMs() >= authenticated.expiresAtMs) throw ended('the credential has expired', 'credential-expired');
  if (info.isResource) checkOffered(kinds.byResource(tenant, info.group, info.version, info.resource), info);
  // Also whether they may still be whom they asked to be.
  const identity = impersonate(authorizer, tenant, authenticated.identity, incoming.head.impersonate, info);
  authorize(authorizer, tenant, identity, info);
}

/** Only the host can tell whether a token still stands; a certificate is judged from memory. */
function askedOfHost({ incoming, claim, authenticated }: Bound, { authenticators }: HoldOptions): Judge['credential'] {
  const { head } = incoming;
  const key = head.headers.get('authorization');
  if (key === undefined) return undefined;
  return {
    key,
    async check() {
      const again = await authenticate(head, claim, authenticators);
      if (again.tenantUid === authenticated.tenantUid && again.identity.username === authenticated.identity.username) {
        return;
      }
      throw ended('the credential is of somebody else by now', 'credential-changed');
    },
  };
}

function gone(): ApiError {
  return ended('the credential is of a tenant that is no more', 'tenant-gone');
}

function ended(message: string, why: string): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', `Unauthorized: ${message}`, { why });
}
