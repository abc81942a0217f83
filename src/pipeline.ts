/**
 * The path of a request, in order. Every stage is a function that adds what the next needs or throws a refusal; none
 * knows another. This list is the one place where the order stands, and most of the order is security:
 *
 *   1  requestinfo  before authn, so that a refused request is audited and limited by what it was
 *   2  health       the only answers for callers without a credential; they tell nothing of any tenant
 *   3  locate       what the request claims; weighed only after
 *   4  authn        who sent it. Nothing is read of the body, and nothing asked upstream for it, before
 *   5  bind         to the one tenant that the credential belongs to
 *   6  limit        a tenant's share, before any work is done for it
 *   7  offer        does this resource exist for the tenant, and has it this verb? 404 comes before 403, as discovery
 *                   already tells what there is
 *   8  authz        may this user do it, by the tenant's own roles
 *   9  body         read and decoded only for those who may
 *  10  serve        discovery, a review that the proxy answers itself, or a verb on a resource
 *  11  respond      the one place where anything becomes bytes
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
import type { Handler, Incoming } from './listen/options.ts';
import type { KindAtVersion } from './ports.ts';
import type { Tenant } from './tenancy/tenant.ts';

/** A stage each, as `app.ts` puts them together. */
export interface Stages {
  parse(head: RequestHead): RequestInfo;
  negotiate(head: RequestHead, info: RequestInfo): Accept;
  health(info: RequestInfo): Reply | undefined;
  locate(info: RequestInfo, head: RequestHead): Claim;
  authenticate(head: RequestHead): Promise<Authenticated>;
  bind(authenticated: Authenticated, claim: Claim): Tenant;
  /** Takes a place; the function that is returned gives it back. */
  limit(tenant: Tenant, info: RequestInfo): () => void;
  offer(tenant: Tenant, info: ResourceInfo): KindAtVersion;
  authorize(tenant: Tenant, identity: Identity, info: RequestInfo): void;
  readBody(
    incoming: Incoming,
    tenant: Tenant,
    info: RequestInfo,
    at: KindAtVersion | undefined,
  ): Promise<Body | undefined>;
  serveNonResource(request: {
    head: RequestHead;
    info: NonResourceInfo;
    accept: Accept;
    tenant: Tenant;
    identity: Identity;
  }): Promise<Reply>;
  serveResource(request: ResourceRequest): Promise<Reply>;
  respond(incoming: Incoming, known: Known, reply: Reply): Promise<void>;
  refuse(incoming: Incoming, known: Known, error: unknown): Promise<void>;
}

export interface ResourceRequest {
  readonly head: RequestHead;
  readonly info: ResourceInfo;
  readonly accept: Accept;
  readonly tenant: Tenant;
  readonly identity: Identity;
  readonly at: KindAtVersion;
  readonly body: Body | undefined;
}

/** What is known of a request so far: for the answer, the log and the audit, however far it came. */
export interface Known {
  info?: RequestInfo;
  accept?: Accept;
  authenticated?: Authenticated;
  tenant?: Tenant;
}

export function createPipeline(stages: Stages): Handler {
  return async (incoming) => {
    const known: Known = {};
    let release: (() => void) | undefined;
    try {
      const { head } = incoming;
      const info = stages.parse(head);
      known.info = info;
      const health = stages.health(info);
      if (health !== undefined) return await stages.respond(incoming, known, health);

      const claim = stages.locate(info, head);
      const authenticated = await stages.authenticate(head);
      known.authenticated = authenticated;
      const tenant = stages.bind(authenticated, claim);
      known.tenant = tenant;
      release = stages.limit(tenant, info);
      const { identity } = authenticated;
      refuseImpersonation(head);
      const accept = stages.negotiate(head, info);
      known.accept = accept;

      if (!info.isResource) {
        stages.authorize(tenant, identity, info);
        return await stages.respond(
          incoming,
          known,
          await stages.serveNonResource({ head, info, accept, tenant, identity }),
        );
      }
      const at = stages.offer(tenant, info);
      stages.authorize(tenant, identity, info);
      const body = await stages.readBody(incoming, tenant, info, at);
      const reply = await stages.serveResource({ head, info, accept, tenant, identity, at, body });
      await stages.respond(incoming, known, reply);
    } catch (error) {
      await stages.refuse(incoming, known, error);
    } finally {
      release?.();
    }
  };
}

/** A request that asks to be somebody else is never served as itself. */
function refuseImpersonation(head: RequestHead): void {
  if (head.impersonate.size === 0) return;
  throw new ApiError('ERR_FORBIDDEN', 'impersonation is not offered: send the request without Impersonate- headers', {
    why: 'impersonation',
  });
}
