/**
 * The relay: the host's API server asks here about what its controllers make in namespaces of tenants whose policy says
 * so, and the tenant's own admission answers. Off until the operator has set it up (`kubeveil relay`), and for every
 * tenant whose policy does not ask for it.
 *
 * A controller of the host waits meanwhile, which works for all tenants: hence the times, far below those of a tenant's
 * own requests, and the two breakers. Each question is in the audit like a request of the tenant's, as that of the
 * controller.
 *
 * @see docs/decisions/0042-relay.md
 */
import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { headOfOwn, type Identity, type RequestHead, type ResourceInfo } from '../exchange.ts';
import { annotationOf, metadataOf } from '../k8s/meta.ts';
import { child } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Handler, Incoming } from '../listen/options.ts';
import { readBody } from '../listen/read-body.ts';
import { logger } from '../observe/log.ts';
import type { Policies } from '../policy/policy.ts';
import type { Admission, NamespaceRegistry, TenantRegistry, Webhooks } from '../ports.ts';
import { answerTo, type Outcome } from '../relay/admission-review.ts';
import { type HostReview, queryOf, readHostReview } from '../relay/host-review.ts';
import { patchBetween } from '../relay/json-patch.ts';
import type { RelayKeys } from '../relay/keys.ts';
import { requesterOf } from '../relay/requester.ts';
import { RELAY_MARK, RELAY_ROOT } from '../tenancy/host-names.ts';
import { tenantOf, toTenantName, type UpstreamName } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { toTenant } from '../translate/object.ts';
import type { Scope } from '../translate/scope.ts';
import { admitRelayed } from '../verbs/admit-relayed.ts';
import type { Call, VerbDeps } from '../verbs/call.ts';
import { Breaker } from '../webhooks/breaker.ts';
import { hastyWebhooks } from '../webhooks/hasty.ts';
import type { AuditWriter } from './audit-writer.ts';
import { answerHost, HOST, MAX_REVIEW_BYTES, unauthorized } from './host-question.ts';
import type { HostView } from './host-view.ts';
import { startQuestionTime } from './relay-time.ts';

export interface RelayOptions {
  readonly keys: RelayKeys;
  readonly view: Pick<HostView, 'kinds'>;
  readonly tenants: TenantRegistry;
  readonly namespaces: NamespaceRegistry;
  readonly policies: Policies;
  readonly verbDeps: VerbDeps;
  readonly webhooks: Webhooks;
  readonly admissionWith: (webhooks: Webhooks) => Admission;
  readonly scopeOf: (tenant: Tenant, identity: Identity) => Scope;
  readonly isReady: () => boolean;
  readonly writeAudit: AuditWriter;
  readonly nowMs: () => number;
}

/** The host gives up after two seconds. */
const REVIEW_MS = 1_500;
/** What of it webhooks have: what they change is tried on the host afterwards. */
const WEBHOOKS_MS = 1_000;
/** For policies of a tenant that were too slow: less than anybody notices. */
const SHORT_MS = 100;
const BREAKER = { timeouts: 1, openMs: 10_000 };
const SLOW_REVIEW =
  'admission of this tenant took longer than controllers of the host can wait, so it has little time until it is faster: have its policies made simpler, or take controllerObjects out of its policy file';
const SLOW_WEBHOOK =
  'webhooks of this tenant took longer than controllers of the host can wait, so they are left alone until they are faster: have them answer within a second, or take controllerObjects out of its policy file';

/** Serves what is for the relay, and hands on everything else. */
export function withRelay(next: Handler, options: RelayOptions): Handler {
  const serve = createRelay(options);
  return async (incoming) => {
    if (!incoming.head.target.startsWith(RELAY_ROOT)) return await next(incoming);
    const question: Question = { startedMs: performance.now() };
    const written = await answerHost(
      incoming,
      () => serve(incoming, question),
      () => (question.isRefused === true ? 'relay-refused' : undefined),
    );
    const { info, identity, tenant, startedMs } = question;
    options.writeAudit({
      // Nothing of the token is in the audit, the word made of it neither.
      head: { ...incoming.head, target: RELAY_ROOT },
      remoteAddress: incoming.remoteAddress,
      ...{ info, identity, tenant, written },
      durationMs: performance.now() - startedMs,
    });
  };
}

/** What is known of a question, for the audit. */
interface Question {
  readonly startedMs: number;
  tenant?: Tenant;
  /** Whose the object is, as the tenant is told. */
  identity?: Identity;
  info?: ResourceInfo;
  isRefused?: boolean;
}

type Serve = (incoming: Incoming, question: Question) => Promise<JsonObject>;

function createRelay(options: RelayOptions): Serve {
  const { keys, isReady, nowMs } = options;
  const log = logger('relay');
  const webhookBreaker = new Breaker(nowMs, BREAKER);
  const reviewBreaker = new Breaker(nowMs, BREAKER);

  async function judge(review: HostReview, head: RequestHead, question: Question): Promise<Outcome> {
    const tenant = tenantAt(review, options);
    const identity = requesterOf(review.username);
    const info = infoOf(review, tenant);
    Object.assign(question, { tenant, identity, info } satisfies Partial<Question>);
    if (!options.policies.of(tenant).guards(tenant.id).relays) return asItIs(review);
    const time = startQuestionTime({
      ...{ breaker: reviewBreaker, tenant: tenant.uid, gone: head.signal, longMs: REVIEW_MS, shortMs: SHORT_MS },
      onOpen: () => log.warn({ tenant: tenant.id }, SLOW_REVIEW),
    });
    const webhooks = hastyWebhooks({
      webhooks: options.webhooks,
      tenant: tenant.uid,
      breaker: webhookBreaker,
      hasItsTime: time.isLong,
      untilMs: nowMs() + (time.isLong ? WEBHOOKS_MS : SHORT_MS),
      nowMs,
      onOpen: () => log.warn({ tenant: tenant.id }, SLOW_WEBHOOK),
    });
    try {
      const bounded = { ...head, signal: time.signal };
      return await outcomeOf(review, { tenant, identity, info, head: bounded }, webhooks, options);
    } finally {
      webhooks.done();
      time.done();
    }
  }

  return async ({ head, body, belongsTo }, question) => {
    const [door = ''] = head.target.slice(RELAY_ROOT.length).split('?');
    // Before anything of the body is read, and in the words for whoever shows no credential at all.
    if (head.method !== 'POST' || !(await keys.opens(door, 'relay'))) throw unauthorized();
    const review = readHostReview(await readBody(body, MAX_REVIEW_BYTES, head.headers, head.signal));
    if (!(await keys.holds(annotationOf(review.object, RELAY_MARK) ?? ''))) throw unauthorized();
    // Not for the door alone: Events of tenants tell it.
    belongsTo(HOST);
    if (!isReady()) throw new ApiError('ERR_UNAVAILABLE', 'the proxy is not ready', { why: 'not-ready' });
    const outcome = await judge(review, head, question).catch((error: unknown): Outcome => {
      if (error instanceof ApiError) return { allowed: false, status: refusalOf(error) };
      throw error;
    });
    question.isRefused = !outcome.allowed;
    return answerTo(review, outcome);
  };
}

/** @throws {ApiError} ERR_UNAVAILABLE while this replica does not know the namespace: the controller tries again */
function tenantAt({ namespace }: HostReview, { tenants, namespaces }: RelayOptions): Tenant {
  const owner = tenantOf(namespace as UpstreamName);
  const tenant = owner && tenants.get(owner);
  const name = owner && toTenantName(owner, namespace as UpstreamName);
  if (tenant === undefined || name === undefined || namespaces.state(tenant.id, name) === 'absent') {
    throw new ApiError('ERR_UNAVAILABLE', 'the namespace is not known yet; try again', { why: 'no-such-namespace' });
  }
  return tenant;
}

/** The question as a request of the tenant's that creates the object. */
function infoOf(review: HostReview, tenant: Tenant): ResourceInfo {
  const { group, version, resource } = review;
  return {
    ...{ isResource: true, verb: 'create', group, version, resource, subresource: '', rest: [], claimed: undefined },
    namespace: toTenantName(tenant.id, review.namespace as UpstreamName) ?? '',
    name: '',
    query: queryOf(review),
  };
}

async function outcomeOf(
  review: HostReview,
  { tenant, identity, info, head }: Pick<Call, 'tenant' | 'identity' | 'info'> & { readonly head: RequestHead },
  webhooks: Webhooks,
  { view, verbDeps, admissionWith, scopeOf }: RelayOptions,
): Promise<Outcome> {
  const at = view.kinds.byResource(tenant, info.group, info.version, info.resource);
  // The tenant has no such kind: nothing that it has can speak of it.
  if (at === undefined) return asItIs(review);
  const { id, method, target, signal } = head;
  const scope = scopeOf(tenant, identity);
  const before = placed(review);
  const call: Call = {
    head: headOfOwn({ id, method, target, signal }),
    info,
    at,
    tenant,
    identity,
    accept: { media: 'json', as: undefined },
    body: { contentType: 'application/json', document: toTenant(cloneJson(before), at, scope) },
    scope,
  };
  const relayed = await admitRelayed(call, { ...verbDeps, admission: admissionWith(webhooks) });
  if ('refused' in relayed) return { allowed: false, status: relayed.refused };
  if (relayed.object === undefined) return asItIs(review);
  return { allowed: true, patch: patchBetween(before, relayed.object) };
}

function refusalOf({ message, reason, status }: ApiError): JsonObject {
  return { message, reason, code: status };
}

/** As it was before the token was put into it. */
function asItIs({ object }: HostReview): Outcome {
  const { [RELAY_MARK]: _token, ...annotations } = child(metadataOf(object), 'annotations');
  return {
    allowed: true,
    patch: patchBetween(object, { ...object, metadata: { ...metadataOf(object), annotations } }),
  };
}

/** The object with its namespace, and without what says who manages which field: that is the host's to say. */
function placed({ object, namespace }: HostReview): JsonObject {
  const { managedFields: _managed, ...metadata } = metadataOf(object);
  return { ...object, metadata: { ...metadata, namespace } };
}
