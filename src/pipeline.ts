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
 *   7  limit        a tenant's share and a user's of it, before any work is done for it; the greedy wait here
 *   8  impersonate  who asks to be somebody else becomes them, if the tenant's roles say so; never served as its sender
 *   9  negotiate    the form of the answer, before anything is done that cannot be answered
 *  10  offer        does this resource exist for the tenant, and has it this verb? 404 comes before 403, as discovery
 *                   already tells what there is
 *  11  authz        may this user do it, by the tenant's own roles
 *  12  body         read and decoded only for those who may
 *  13  serve        discovery, a review that the proxy answers itself, a connection to a pod, or a verb on a resource
 *  14  hold         what was found for a tenant that is gone by now is not answered; an answer that lasts is judged
 *                   again by 5, 6, 8, 10 and 11 while it does
 *  15  respond      the one place where anything becomes bytes; a refusal of any stage comes here at once
 *  16  audit        one event, whatever became of it; of an answer that lasts one more when it begins
 */
import type {
  Accept,
  Authenticated,
  Body,
  Claim,
  Identity,
  NonResourceInfo,
  NonResourceRequest,
  Reply,
  RequestHead,
  RequestInfo,
  ResourceInfo,
  ResourceRequest,
  Served,
  Written,
} from './exchange.ts';
import type { KindAtVersion } from './kinds/kind.ts';
import type { Handler, Incoming } from './listen/options.ts';
import type { Tenant } from './tenancy/tenant.ts';

/** A stage each, as `app/stages.ts` puts them together. */
export interface Stages {
  parse(head: RequestHead): RequestInfo;
  health(info: RequestInfo): Reply | undefined;
  /**
   * Throws while the proxy cannot vouch for the host's walls or has not read everything once. What asks for no more than
   * is known already passes while the host only does not answer.
   */
  ready(info: RequestInfo): void;
  locate(info: RequestInfo, head: RequestHead): Claim;
  authenticate(head: RequestHead, claim: Claim): Promise<Authenticated>;
  bind(authenticated: Authenticated, claim: Claim): Tenant;
  /**
   * Takes a place, when it is the sender's turn, and starts the clock: the head that is returned has a signal that also
   * fires when the time is up.
   */
  limit(tenant: Tenant, sender: Identity, info: RequestInfo, head: RequestHead): Promise<Limited>;
  /** Whose the request is, by the tenant's roles. */
  impersonate(tenant: Tenant, sender: Identity, head: RequestHead, info: RequestInfo): Identity;
  negotiate(head: RequestHead, info: RequestInfo): Accept;
  offer(tenant: Tenant, info: ResourceInfo): KindAtVersion;
  /** Returns why it is allowed, for the audit. */
  authorize(tenant: Tenant, identity: Identity, info: RequestInfo): string;
  readBody(incoming: Incoming, request: Omit<ResourceRequest, 'body'>): Promise<Body | undefined>;
  serveNonResource(request: NonResourceRequest): Promise<Reply>;
  /** @param incoming what goes on to a pod as it comes */
  serveResource(request: ResourceRequest, incoming: Incoming): Promise<Reply>;
  /** Undefined for an answer that does not last. @throws {ApiError} ERR_UNAUTHORIZED when the tenant is gone by now */
  hold(bound: Bound): Held | undefined;
  respond(known: Known, reply: Reply): Promise<Written>;
  /** The answer to what was thrown, however far the request came. */
  refuse(known: Known, error: unknown): Promise<Written>;
  /** @param written undefined of an answer that lasts, when it begins */
  audit(known: Known, written: Written | undefined): void;
}

/** What is known of a request so far: for the answer, the log and the audit, however far it came. */
export interface Known {
  readonly incoming: Incoming;
  /** `performance.now()` when the request came. */
  readonly startedMs: number;
  info?: RequestInfo;
  accept?: Accept;
  authenticated?: Authenticated;
  claim?: Claim;
  tenant?: Tenant;
  /** As whom it is served. */
  identity?: Identity;
  /** Why the tenant's roles allow it; undefined where they were not asked or do not. */
  allowedBy?: string;
  held?: Held | undefined;
}

/** A request whose tenant is known. */
export type Bound = Known & Required<Pick<Known, 'info' | 'claim' | 'authenticated' | 'tenant'>>;

export interface Limited {
  readonly head: RequestHead;
  /** @param written undefined where nothing was answered */
  release(written: Written | undefined): void;
}

/** Says of an answer that lasts whether it may go on. */
export interface Held {
  /** Ends it in good order; the reason is the refusal that a new request would meet. */
  readonly until: AbortSignal;
  /** Asked before each event: false when the tenant that it was opened for is not there any more. */
  mayGoOn(): boolean;
  release(): void;
}

export function createPipeline(stages: Stages): Handler {
  return async (incoming) => {
    const known: Known = { incoming, startedMs: performance.now() };
    const held: Array<(written: Written | undefined) => void> = [];
    let written: Written | undefined;
    try {
      const reply = await answer(stages, known, held);
      if (isBound(known)) known.held = stages.hold(known); // 14
      if (known.held !== undefined) {
        held.push(known.held.release);
        stages.audit(known, undefined); // 16
      }
      written = await stages.respond(known, reply); // 15
      stages.audit(known, written); // 16
    } catch (error) {
      written = await stages.refuse(known, error); // 15
      stages.audit(known, written); // 16
    } finally {
      for (const release of held) release(written);
    }
  };
}

function isBound(known: Known): known is Bound {
  return known.tenant !== undefined;
}

/** Up to what is served. @param held gets what is to be given back when the answer is out */
async function answer(
  stages: Stages,
  known: Known,
  held: Array<(written: Written | undefined) => void>,
): Promise<Reply> {
  const { incoming } = known;
  const info = stages.parse(incoming.head); // 1
  known.info = info;
  const health = stages.health(info); // 2
  if (health !== undefined) return health;
  stages.ready(info); // 3

  const claim = stages.locate(info, incoming.head); // 4
  known.claim = claim;
  const authenticated = await stages.authenticate(incoming.head, claim); // 5
  known.authenticated = authenticated;
  const tenant = stages.bind(authenticated, claim); // 6
  known.tenant = tenant;
  incoming.belongsTo(tenant.uid);

  const { head, release } = await stages.limit(tenant, authenticated.identity, info, incoming.head); // 7
  held.push(release);
  const identity = stages.impersonate(tenant, authenticated.identity, head, info); // 8
  known.identity = identity;
  const accept = stages.negotiate(head, info); // 9
  known.accept = accept;
  const served: Served = { head, accept, tenant, identity };
  return await (info.isResource
    ? serveResource(stages, known, served, info)
    : serveNonResource(stages, known, served, info));
}

async function serveNonResource(stages: Stages, known: Known, served: Served, info: NonResourceInfo): Promise<Reply> {
  known.allowedBy = stages.authorize(served.tenant, served.identity, info); // 11
  return await stages.serveNonResource({ ...served, info }); // 13
}

async function serveResource(stages: Stages, known: Known, served: Served, info: ResourceInfo): Promise<Reply> {
  const { incoming } = known;
  const { tenant, identity } = served;
  const at = stages.offer(tenant, info); // 10
  known.allowedBy = stages.authorize(tenant, identity, info); // 11
  const body = await stages.readBody(incoming, { ...served, info, at }); // 12
  return await stages.serveResource({ ...served, info, at, body }, incoming); // 13
}
