/** Each stage of the pipeline, given what it needs. What a stage does is in its own folder. */
import { auditRequest } from '../audit/audit.ts';
import { type Authenticators, authenticate } from '../authn/authenticate.ts';
import { authorize } from '../authz/authorize.ts';
import { bind } from '../bind/bind.ts';
import { locate } from '../bind/locate.ts';
import { decodeBody } from '../codec/body.ts';
import type { Controllers } from '../controllers/controllers.ts';
import { ApiError } from '../errors.ts';
import type { RequestInfo } from '../exchange.ts';
import { startDeadline } from '../limit/deadline.ts';
import type { Limiter } from '../limit/limit.ts';
import type { Incoming } from '../listen/options.ts';
import { readBody } from '../listen/read-body.ts';
import { logger } from '../observe/log.ts';
import type { Known, ResourceRequest, Stages } from '../pipeline.ts';
import { checkOffered } from '../policy/offer.ts';
import type { Policies } from '../policy/policy.ts';
import type { Upstream } from '../ports.ts';
import { negotiate, negotiateError, offerOf } from '../requestinfo/accept.ts';
import { isLongRunning } from '../requestinfo/long-running.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import type { Sink } from '../respond/sink.ts';
import { type Answering, type Written, writeError, writeReply } from '../respond/write.ts';
import type { TenantNames } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { Renames } from '../translate/renames.ts';
import type { Scope } from '../translate/scope.ts';
import type { Call, Host } from '../verbs/call.ts';
import { bodyTypeOf } from '../verbs/subresource.ts';
import { serve } from '../verbs/verbs.ts';
import type { HostView } from './host-view.ts';
import { health, nonResource } from './non-resource.ts';
import { createReviewHandler } from './reviews.ts';

export interface StagesOptions {
  upstream: Upstream;
  controllers: Controllers;
  view: HostView;
  policies: Policies;
  authenticators: Authenticators;
  limiter: Limiter;
  verbHost: Host;
  namesOf(tenant: Tenant): TenantNames;
  /** Why the proxy is not ready; undefined when it is. */
  problem(): string | undefined;
  requestTimeoutMs: number;
}

const WITH_BODY = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

export function createStages(options: StagesOptions): Stages {
  const { controllers, view, policies } = options;
  const audit = logger('audit');
  const respondLog = logger('respond');
  const { namesOf } = options;
  const others = nonResource({ upstream: options.upstream, kinds: view.kinds, catalogOf: view.catalogOf, namesOf });
  const review = createReviewHandler(options);

  function scopeOf(request: Pick<ResourceRequest, 'tenant' | 'identity'>): Scope {
    const { tenant, identity } = request;
    return {
      names: namesOf(tenant),
      tenant,
      kinds: view.kinds,
      isOwnNamespace: (namespace) => controllers.namespaces.state(tenant.id, namespace) !== 'absent',
      isOwnGroup: (group) =>
        Iterator.from(view.kinds.list(tenant)).some(({ kind }) => kind.custom && kind.group === group),
      renames: new Renames(),
      username: identity.username,
      isTenant: (id) => controllers.tenants.get(id) !== undefined,
    };
  }

  return {
    parse: (head) => parseRequestInfo(head.method, head.target),
    health: (info) => health(info, options.problem),
    ready() {
      if (options.problem() === undefined) return;
      throw new ApiError('ERR_UNAVAILABLE', 'the proxy is not ready yet; try again', {
        why: 'not-ready',
        details: { retryAfterSeconds: 1 },
      });
    },
    locate,
    authenticate: (head) => authenticate(head, options.authenticators),
    bind: (authenticated, claim) => bind(authenticated, claim, controllers.tenants),
    limit(tenant, info, head) {
      const long = isLongRunning(info);
      const leave = options.limiter.enter(tenant, policies.of(tenant).limits, long);
      if (long) return { head, release: leave };
      const deadline = startDeadline(head.signal, options.requestTimeoutMs);
      return {
        head: { ...head, signal: deadline.signal },
        release() {
          deadline.clear();
          leave();
        },
      };
    },
    negotiate: (head, info) =>
      negotiate(head.headers.get('accept'), offerOf(info), info.query, head.headers.get('user-agent')),
    offer: (tenant, info) => checkOffered(view.kinds.byResource(tenant, info.group, info.version, info.resource), info),
    authorize: (tenant, identity, info) => authorize(view.authorizer, tenant, identity, info),
    async readBody(incoming, head, tenant, request) {
      const { info, at } = request;
      if (!WITH_BODY.has(info.verb)) return undefined;
      const bytes = await readBody(
        incoming.body,
        policies.of(tenant).limits.requestBodyBytes,
        head.headers,
        head.signal,
      );
      const type = bodyTypeOf({ info, at } as Call);
      const slash = type.apiVersion.indexOf('/');
      const gvk = {
        group: slash < 0 ? '' : type.apiVersion.slice(0, slash),
        version: type.apiVersion.slice(slash + 1),
        kind: type.kind,
      };
      return decodeBody(bytes, head.headers.get('content-type'), { verb: info.verb, gvk, custom: at.kind.custom });
    },
    serveNonResource: (request) => others(request),
    async serveResource(request) {
      const { kind, version } = request.at;
      if (kind.answeredBy === 'proxy') return await review(request);
      const reply = await serve({ ...request, scope: scopeOf(request) }, options.verbHost);
      // Tells respond whether the watch can go out as protobuf.
      return reply.kind === 'watch' ? { ...reply, gvk: { group: kind.group, version, kind: kind.kind } } : reply;
    },
    async respond(incoming, known, reply) {
      const written = await writeReply(sinkOf(incoming), reply, answering(incoming, known));
      report(incoming, known, written);
    },
    async refuse(incoming, known, error) {
      const written = await writeError(sinkOf(incoming), error, answering(incoming, known));
      report(incoming, known, written, error instanceof ApiError ? error.why : 'fault');
    },
  };

  function answering(incoming: Incoming, known: Known): Answering {
    const { head } = incoming;
    const accept = head.headers.get('accept');
    const acceptError = negotiateError(accept, known.info?.query, head.headers.get('user-agent'));
    return {
      id: head.id,
      method: head.method,
      accept: known.accept ?? acceptError,
      acceptError,
      acceptEncoding: head.headers.get('accept-encoding'),
      signal: head.signal,
      until: untilOf(incoming, known),
      log: respondLog,
    };
  }

  function report(incoming: Incoming, known: Known, written: Written, why?: string): void {
    auditRequest(audit, {
      head: incoming.head,
      remoteAddress: incoming.remoteAddress,
      info: known.info,
      identity: known.authenticated?.identity,
      tenant: known.tenant,
      status: written.status,
      bodyBytes: written.bodyBytes,
      durationMs: performance.now() - known.startedMs,
      why,
    });
  }
}

/** A stream ends when the process does, and when the credential that opened it does. */
function untilOf(incoming: Incoming, known: Known): AbortSignal {
  const { info, authenticated } = known;
  if (info === undefined || authenticated === undefined || !isStream(info)) return incoming.draining;
  // A timer takes at most 31 bits of milliseconds; no stream lives for 24 days.
  const leftMs = Math.min(Math.max(authenticated.expiresAtMs - Date.now(), 0), 2 ** 31 - 1);
  return AbortSignal.any([incoming.draining, AbortSignal.timeout(leftMs)]);
}

function isStream(info: RequestInfo): boolean {
  return isLongRunning(info);
}

/** Node's HTTP/2 response has `flushHeaders` too; only its type lacks it. */
function sinkOf(incoming: Incoming): Sink {
  return incoming.response as Sink;
}
