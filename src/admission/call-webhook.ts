/**
 * Asks one webhook about one request: whether it is for it at all, and what it says.
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/generic/webhook.go (ShouldCallHook), mutating/dispatcher.go at v0.36
 */
import type { Ask } from '../cel/kubernetes/authorizer.ts';
import { ApiError } from '../errors.ts';
import { child, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { CpuShare } from '../lib/cpu-share.ts';
import type { AdmissionSubject, Webhooks } from '../ports.ts';
import { conditionsMet } from './conditions.ts';
import { Evaluation, OutOfBudget } from './evaluation.ts';
import { type AdmittedObjects, type Match, selectorsMatch } from './matching.ts';
import { conditionsOfWebhook } from './policies.ts';
import { type ReviewAnswer, readReview, reviewFor, WebhookCallFailed } from './review.ts';
import type { Hook } from './store.ts';
import type { Versions } from './versions.ts';
import { deniedByWebhook, failedWebhook, noDryRun } from './webhook-refusals.ts';

/** A webhook whose rules speak of the request. */
export interface MatchedHook extends Hook, Match {}

export interface WebhookContext {
  readonly subject: AdmissionSubject;
  readonly webhooks: Webhooks;
  readonly ask: Ask;
  readonly share: CpuShare;
  readonly warn: (text: string) => void;
  /** Entries for the audit log. */
  readonly annotate: (key: string, value: string) => void;
}

const SECOND_MS = 1_000;
const DEFAULT_TIMEOUT_SECONDS = 10;
const FREE_OF_EFFECTS: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun']);

/**
 * The objects to be shown to the webhook; undefined when it is not for this request.
 * @param isCalled false where only its conditions are a matter of interest, for which no defaults are asked for
 * @throws {ApiError} ERR_FORBIDDEN when its conditions cannot be decided
 */
export async function shownTo(
  { webhook, as }: MatchedHook,
  versions: Versions,
  context: WebhookContext,
  isCalled = true,
): Promise<AdmittedObjects | undefined> {
  const { subject, share, ask } = context;
  if (!selectorsMatch(webhook, subject, versions.given)) return undefined;
  const given = await (isCalled ? versions.shown(as) : versions.in(as));
  const conditions = conditionsOfWebhook(webhook);
  if (conditions.length === 0) return given;
  const options = { subject, given, as, params: undefined, ask, variables: new Map() };
  const ignoresFailures = text(webhook, 'failurePolicy') === 'Ignore';
  const met = await share.run(subject.tenant.id, subject.signal, () =>
    decided(() => conditionsMet(conditions, new Evaluation(options), ignoresFailures)),
  );
  if ('error' in met) {
    if (ignoresFailures) return undefined;
    throw undecided(subject, met.error);
  }
  return met.met ? given : undefined;
}

function decided<T>(run: () => T): T | { readonly error: string } {
  try {
    return run();
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message };
    throw error;
  }
}

function undecided({ group, resource, name }: AdmissionSubject, why: string): ApiError {
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const details = { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource };
  return new ApiError('ERR_FORBIDDEN', `${qualified} ${JSON.stringify(name)} is forbidden: ${why}`, {
    details,
    why: 'webhook-condition',
  });
}

/** @param failedOpen told when there was no answer and the webhook's failurePolicy lets the request go on */
export async function askWebhook(
  { webhook, as }: MatchedHook,
  given: AdmittedObjects,
  mutating: boolean,
  context: WebhookContext,
  failedOpen: () => void,
): Promise<ReviewAnswer | undefined> {
  const name = text(webhook, 'name');
  if (context.subject.dryRun && !FREE_OF_EFFECTS.has(text(webhook, 'sideEffects'))) throw noDryRun(name);
  try {
    const answer = await call(webhook, as, given, mutating, context);
    for (const [key, value] of answer.annotations) context.annotate(`${name}/${key}`, value);
    for (const warning of answer.warnings) context.warn(warning);
    if (!answer.allowed) throw deniedByWebhook(name, answer.result);
    return answer;
  } catch (error) {
    if (!(error instanceof WebhookCallFailed)) throw error;
    if (text(webhook, 'failurePolicy') !== 'Ignore') throw failedWebhook(name, error.message);
    failedOpen();
    return undefined;
  }
}

async function call(
  webhook: JsonObject,
  as: Match['as'],
  given: AdmittedObjects,
  mutating: boolean,
  { subject, webhooks, share }: WebhookContext,
): Promise<ReviewAnswer> {
  const review = reviewFor(webhook, subject, as, given);
  const { timeoutSeconds } = webhook;
  const seconds = typeof timeoutSeconds === 'number' ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS;
  const answer = await webhooks.call({
    tenant: subject.tenant,
    clientConfig: child(webhook, 'clientConfig'),
    body: review.document,
    timeoutMs: seconds * SECOND_MS,
    tellsTimeout: true,
    signal: subject.signal,
  });
  if ('failure' in answer) throw new WebhookCallFailed(`failed to call webhook: ${answer.failure}`);
  const { document } = answer;
  const { tenant, signal } = subject;
  return await share.run(tenant.id, signal, () => readReview(document, review, mutating));
}
