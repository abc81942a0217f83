/** Each stage of the pipeline, given what it needs. What a stage does is in its own folder. */
import { type Authenticators, authenticate, authenticateToken } from '../authn/authenticate.ts';
import { authorize } from '../authz/authorize.ts';
import { impersonate } from '../authz/impersonate.ts';
import { bind } from '../bind/bind.ts';
import { locate } from '../bind/locate.ts';
import { decodeBody } from '../codec/body.ts';
import type { YamlReader } from '../codec/yaml-queue.ts';
import type { ConnectDeps } from '../connect/call.ts';
import { connect, connects } from '../connect/connect.ts';
import type { Controllers } from '../controllers/controllers.ts';
import { ApiError } from '../errors.ts';
import type { RequestHead, RequestInfo, ResourceRequest } from '../exchange.ts';
import { splitApiVersion } from '../k8s/types.ts';
import { startDeadline } from '../limit/deadline.ts';
import type { Limiter } from '../limit/limit.ts';
import type { OpenStreams } from '../limit/open-streams.ts';
import { readBody } from '../listen/read-body.ts';
import { type HealthCheck, health } from '../nonresource/health.ts';
import { createNonResourceHandler } from '../nonresource/serve.ts';
import type { Stages } from '../pipeline.ts';
import { checkOffered } from '../policy/offer.ts';
import type { Policies } from '../policy/policy.ts';
import type { Upstream, UpstreamPassing } from '../ports.ts';
import { negotiate, offerOf } from '../requestinfo/accept.ts';
import { isLongRunning, mayUpgrade } from '../requestinfo/long-running.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import { createReviewHandler } from '../reviews/handlers.ts';
import { checkByAuthenticator } from '../reviews/token-review.ts';
import { createUsageHandler, type Measures } from '../reviews/usage.ts';
import type { TenantNames } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { Renames } from '../translate/renames.ts';
import type { Scope } from '../translate/scope.ts';
import { admitConnect } from '../verbs/admit-connect.ts';
import { bodyTypeOf } from '../verbs/body-type.ts';
import type { VerbDeps } from '../verbs/call.ts';
import { serve } from '../verbs/verbs.ts';
import { createAnswering } from './answering.ts';
import type { AuditWriter } from './audit-writer.ts';
import { createBodyShare } from './body-share.ts';
import { createHold } from './hold.ts';
import type { HostView } from './host-view.ts';

export interface StagesOptions {
  upstream: Upstream & UpstreamPassing;
  controllers: Controllers;
  view: HostView;
  policies: Policies;
  authenticators: Authenticators;
  limiter: Limiter;
  /** What a tenant uses of what it may. */
  measures: Measures;
  streams: OpenStreams;
  yaml: YamlReader;
  verbDeps: VerbDeps;
  namesOf(tenant: Tenant): TenantNames;
  /** What the proxy must have before it serves anybody. */
  checks: readonly HealthCheck[];
  /** Whether what was read before may be told all the same: the host only does not answer. */
  mayRemember(): boolean;
  requestTimeoutMs: number;
  writeAudit: AuditWriter;
  /** URL under which tenants reach the proxy; resolves when it is known. */
  server(): Promise<string>;
  /** Below which each tenant has a name of the server. */
  domain: string | undefined;
}

const WITH_BODY = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

export function createStages(options: StagesOptions): Stages {
  const { upstream, controllers, view, policies, authenticators, namesOf } = options;
  const review = createReviewHandler({
    authorizer: view.authorizer,
    checkToken: checkByAuthenticator((token, tenant, audiences) =>
      authenticateToken(token, { tenant: tenant.id }, authenticators, audiences),
    ),
    nowMs: Date.now,
  });
  const usage = createUsageHandler(options.measures);
  const bodies = createBodyShare();
  const connectDeps: ConnectDeps = { upstream, namespaces: controllers.namespaces };
  return {
    parse: parseHead,
    health: (info) => health(info, options.checks),
    ready(info) {
      const isReady = options.checks.every(({ passes }) => passes());
      if (!isReady && !(asksForKnown(info) && options.mayRemember())) throw unready();
    },
    locate: (info, head) => locate(info, head, options.domain),
    authenticate: (head, claim) => authenticate(head, claim, authenticators),
    bind: (authenticated, claim) => bind(authenticated, claim, controllers.tenants),
    limit: limitBy(options),
    impersonate: (tenant, sender, head, info) => impersonate(view.authorizer, tenant, sender, head.impersonate, info),
    negotiate: (head, info) =>
      negotiate(head.headers.get('accept'), offerOf(info), info.query, head.headers.get('user-agent')),
    offer: (tenant, info) => checkOffered(view.kinds.byResource(tenant, info.group, info.version, info.resource), info),
    authorize: (tenant, identity, info) => authorize(view.authorizer, tenant, identity, info),
    async readBody(incoming, request) {
      const { info, at, head, tenant } = request;
      if (!WITH_BODY.has(info.verb) || connects(request) !== undefined) return undefined;
      const { requestBodyBytes } = policies.of(tenant).limits;
      const bytes = await readBody(incoming.body, requestBodyBytes, head.headers, head.signal);
      const { apiVersion, kind, own } = bodyTypeOf(request);
      const [group, version] = splitApiVersion(apiVersion);
      const readYaml = (text: string) => options.yaml.read(text, { tenant: tenant.uid, signal: head.signal });
      const context = {
        verb: info.verb,
        gvk: { group, version, kind },
        custom: at.kind.custom,
        namesKind: at.kind.custom && !own,
        readYaml,
      };
      const decode = () => decodeBody(bytes, head.headers.get('content-type'), context);
      return await bodies.read(bytes, tenant.uid, head.signal, decode);
    },
    serveNonResource: createNonResourceHandler({
      upstream,
      kinds: view.kinds,
      catalogOf: view.catalogOf,
      checks: options.checks,
      namesOf,
      server: options.server,
    }),
    async serveResource(request, incoming) {
      const { kind, version } = request.at;
      if (kind.answeredBy === 'proxy') return kind.measured ? usage(request) : await review(request);
      const how = connects(request);
      if (how !== undefined) {
        const call = { ...request, scope: scopeOf(request, options) };
        const info = await admitConnect(call, options.verbDeps);
        return await connect({ ...call, info, incoming: incoming.body }, how, connectDeps);
      }
      const reply = await serve({ ...request, scope: scopeOf(request, options) }, options.verbDeps);
      // Tells respond whether the watch can go out as protobuf.
      return reply.kind === 'watch' ? { ...reply, gvk: { group: kind.group, version, kind: kind.kind } } : reply;
    },
    hold: createHold({
      tenants: controllers.tenants,
      authenticators,
      authorizer: view.authorizer,
      kinds: view.kinds,
      streams: options.streams,
      nowMs: Date.now,
    }),
    ...createAnswering(options.writeAudit),
  };
}

/** An upgrade is asked of what connects to a pod, and of nothing else. */
function parseHead(head: RequestHead): RequestInfo {
  const info = parseRequestInfo(head.method, head.target);
  if (head.upgrade === undefined || mayUpgrade(info)) return info;
  throw new ApiError(
    'ERR_BAD_REQUEST',
    'the request asks for an upgrade of the connection, which is offered by exec, attach, portforward and proxy of a pod or service only',
    {
      why: 'upgrade',
    },
  );
}

/** True for what may be answered without the host: it names the revision from which it wants to know. */
function asksForKnown(info: RequestInfo): boolean {
  return info.isResource && READS.has(info.verb) && (info.query.get('resourceVersion') ?? '') !== '';
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** The problem itself is the operator's to know. */
function unready(): ApiError {
  return new ApiError('ERR_UNAVAILABLE', 'the proxy is not ready yet; try again', {
    why: 'not-ready',
    details: { retryAfterSeconds: 1 },
  });
}

function limitBy({ limiter, policies, requestTimeoutMs }: StagesOptions): Stages['limit'] {
  return async (tenant, { username }, info, head) => {
    const { limits } = policies.of(tenant);
    const sender = { tenant, username };
    if (isLongRunning(info)) {
      const leave = await limiter.enter(sender, limits, true, head.signal);
      return { head, release: () => leave() };
    }
    // Waiting for a seat is a part of the time that a request may take.
    const deadline = startDeadline(head.signal, requestTimeoutMs);
    try {
      const leave = await limiter.enter(sender, limits, false, deadline.signal);
      return {
        head: { ...head, signal: deadline.signal },
        release(written) {
          deadline.clear();
          leave(written?.madeBytes ?? written?.bodyBytes);
        },
      };
    } catch (error) {
      deadline.clear();
      throw error;
    }
  };
}

/** For whom names are mapped in one exchange. */
export function scopeOf(
  { tenant, identity }: Pick<ResourceRequest, 'tenant' | 'identity'>,
  { namesOf, view, controllers, policies }: Pick<StagesOptions, 'namesOf' | 'view' | 'controllers' | 'policies'>,
): Scope {
  const { kinds } = view;
  return {
    names: namesOf(tenant),
    tenant,
    kinds,
    isOwnNamespace: (namespace) => controllers.namespaces.state(tenant.id, namespace) !== 'absent',
    isOwnGroup: (group) => Iterator.from(kinds.list(tenant)).some(({ kind }) => kind.custom && kind.group === group),
    namesHost: (of, name) => view.hostNames.namesHost(tenant, of, name),
    holds: (name) => view.hostNames.holds(tenant, name),
    renames: new Renames(),
    username: identity.username,
    guards: () => policies.of(tenant).guards(tenant.id),
    isTenant: (id) => controllers.tenants.get(id) !== undefined,
  };
}
