/**
 * The path of a request, in order. Every stage is a function that adds what the next needs or throws a refusal; none
 * knows another. This list is the one place where the order stands, and most of the order is security:
 *
 *   1  requestinfo  before authn, so that a refused request is audited and limited by what it was
 *   2  health       the only answers for callers without a credential; they tell nothing of any tenant
 *   3  ready        nobody is served before the host's walls are known to stand
 *   4  locate       what the request claims; weighed only after
 *   5  authn        who sent it. Nothing is read of the body, and nothing asked upstream for it, before
 *   6  bind         to the one tenant that the credential belongs to
 *   7  limit        a tenant's share, before any work is done for it
 *   8  offer        does this resource exist for the tenant, and has it this verb? 404 comes before 403, as discovery
 *                   already tells what there is
 *   9  authz        may this user do it, by the tenant's own roles
 *  10  body         read and decoded only for those who may
 *  11  serve        discovery, a review that the proxy answers itself, or a verb on a resource
 *  12  respond      the one place where anything becomes bytes
 */
import { ApiError } from './errors.ts';
import type {
  Accept,
  Authenticated,
  Body,
  Claim,
  Identity,
  NonResourceInfo,
  Reply,
  RequestHead,
  RequestInfo,
  ResourceInfo,
} from './exchange.ts';
import type { KindAtVersion } from './kinds/kind.ts';
import type { Handler, Incoming } from './listen/options.ts';
import type { Tenant } from './tenancy/tenant.ts';

/** A stage each, as `app/stages.ts` puts them together. */
export interface Stages {
  parse(head: RequestHead): RequestInfo;
  health(info: RequestInfo): Reply | undefined;
  /** Throws while the proxy cannot vouch for the host's walls or has not read everything once. */
  ready(): void;
  locate(info: RequestInfo): Claim;
  authenticate(head: RequestHead): Promise<Authenticated>;
  bind(authenticated: Authenticated, claim: Claim): Tenant;
  /** Takes a place and starts the clock: the head that is returned has a signal that also fires when the time is up. */
  limit(tenant: Tenant, info: RequestInfo, head: RequestHead): { head: RequestHead; release(): void };
  negotiate(head: RequestHead, info: RequestInfo): Accept;
  offer(tenant: Tenant, info: ResourceInfo): KindAtVersion;
  authorize(tenant: Tenant, identity: Identity, info: RequestInfo): void;
  readBody(
    incoming: Incoming,
    head: RequestHead,
    tenant: Tenant,
    request: { info: ResourceInfo; at: KindAtVersion },
  ): Promise<Body | undefined>;
  serveNonResource(request: NonResourceRequest): Promise<Reply>;
  serveResource(request: ResourceRequest): Promise<Reply>;
  respond(incoming: Incoming, known: Known, reply: Reply): Promise<void>;
  refuse(incoming: Incoming, known: Known, error: unknown): Promise<void>;
}

interface Served {
  readonly head: RequestHead;
  readonly accept: Accept;
  readonly tenant: Tenant;
  readonly identity: Identity;
}

export interface NonResourceRequest extends Served {
  readonly info: NonResourceInfo;
}

export interface ResourceRequest extends Served {
  readonly info: ResourceInfo;
  readonly at: KindAtVersion;
  readonly body: Body | undefined;
}

/** What is known of a request so far: for the answer, the log and the audit, however far it came. */
export interface Known {
  /** `performance.now()` when the request came. */
  readonly startedMs: number;
  info?: RequestInfo;
  accept?: Accept;
  authenticated?: Authenticated;
  tenant?: Tenant;
}

export function createPipeline(stages: Stages): Handler {
  return async (incoming) => {
    const known: Known = { startedMs: performance.now() };
    let release: (() => void) | undefined;
    try {
      const info = stages.parse(incoming.head);
      known.info = info;
      const health = stages.health(info);
      if (health !== undefined) return await stages.respond(incoming, known, health);
      stages.ready();

      const claim = stages.locate(info);
      const authenticated = await stages.authenticate(incoming.head);
      known.authenticated = authenticated;
      const tenant = stages.bind(authenticated, claim);
      known.tenant = tenant;
      const limited = stages.limit(tenant, info, incoming.head);
      release = limited.release;

      const { head } = limited;
      const { identity } = authenticated;
      refuseImpersonation(head);
      const accept = stages.negotiate(head, info);
      known.accept = accept;
      const served: Served = { head, accept, tenant, identity };
      const reply = info.isResource
        ? await serveResource(stages, incoming, served, info)
        : await serveNonResource(stages, served, info);
      await stages.respond(incoming, known, reply);
    } catch (error) {
      await stages.refuse(incoming, known, error);
    } finally {
      release?.();
    }
  };
}

async function serveNonResource(stages: Stages, served: Served, info: NonResourceInfo): Promise<Reply> {
  stages.authorize(served.tenant, served.identity, info);
  return await stages.serveNonResource({ ...served, info });
}

async function serveResource(stages: Stages, incoming: Incoming, served: Served, info: ResourceInfo): Promise<Reply> {
  const { tenant, identity, head } = served;
  const at = stages.offer(tenant, info);
  stages.authorize(tenant, identity, info);
  const body = await stages.readBody(incoming, head, tenant, { info, at });
  return await stages.serveResource({ ...served, info, at, body });
}

/** A request that asks to be somebody else is never served as itself. */
function refuseImpersonation(head: RequestHead): void {
  if (head.impersonate.size === 0) return;
  throw new ApiError('ERR_FORBIDDEN', 'impersonation is not offered: send the request without Impersonate- headers', {
    why: 'impersonation',
  });
}
