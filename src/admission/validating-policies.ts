/**
 * ValidatingAdmissionPolicies: whether a request may go on, and what is said of it.
 * @see k8s.io/apiserver pkg/admission/plugin/policy/validating/dispatcher.go, validator.go at v0.36
 */
import type { Ask } from '../cel/kubernetes/authorizer.ts';
import { nameOf } from '../k8s/meta.ts';
import { child, strings } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { CpuShare } from '../lib/cpu-share.ts';
import type { AdmissionSubject } from '../ports.ts';
import { conditionsMet } from './conditions.ts';
import { Evaluation, type Outcome, OutOfBudget } from './evaluation.ts';
import { type AdmittedObjects, type Match, matchResourcesOf, selectorsMatch } from './matching.ts';
import { ConfigurationError, collectParams } from './params.ts';
import { type CompiledPolicy, compiledPolicy, type Validation } from './policies.ts';
import { deniedByPolicy } from './refusals.ts';
import { Versions } from './versions.ts';

/** Longer messages of expressions are not used. */
const MAX_MESSAGE_BYTES = 5 * 1024;

/** A policy with those of its bindings whose rules speak of the request. */
export interface BoundPolicy {
  readonly policy: JsonObject;
  readonly bindings: readonly JsonObject[];
}

/** One of which the rules speak of the request. */
export interface MatchedPolicy extends BoundPolicy, Match {}

interface Denial {
  readonly message: string;
  readonly reason: string;
}

export interface ValidationContext {
  readonly subject: AdmissionSubject;
  readonly given: AdmittedObjects;
  readonly ask: Ask;
  readonly share: CpuShare;
  readonly warn: (text: string) => void;
  /** Entries for the audit log. */
  readonly annotate: (key: string, value: string) => void;
}

interface Judging extends ValidationContext, Match {}

/** @throws {ApiError} for the first that denies */
export async function validateByPolicies(
  policies: readonly MatchedPolicy[],
  context: ValidationContext,
): Promise<void> {
  const { subject, given } = context;
  const versions = new Versions(subject, given);
  const denials: Denial[] = [];
  for (const { policy, bindings, as } of policies) {
    if (!selectorsMatch(matchResourcesOf(policy, 'matchConstraints'), subject, given)) continue;
    for (const binding of bindings) {
      if (!selectorsMatch(matchResourcesOf(binding, 'matchResources'), subject, given)) continue;
      denials.push(...(await judge(policy, binding, { ...context, as, given: await versions.in(as) })));
    }
  }
  const [first] = denials;
  if (first !== undefined) throw deniedByPolicy(subject, given.object ?? given.oldObject, first.message, first.reason);
}

async function judge(policy: JsonObject, binding: JsonObject, context: Judging): Promise<Denial[]> {
  const ignoresFailures = child(policy, 'spec')['failurePolicy'] === 'Ignore';
  const who = `ValidatingAdmissionPolicy '${nameOf(policy)}' with binding '${nameOf(binding)}'`;
  const denied = (message: string, reason = 'Invalid') => ({ message: `${who} denied request: ${message}`, reason });
  try {
    const results: Denial[] = [];
    for (const params of await collectParams(policy, binding, context.subject)) {
      const { tenant, signal } = context.subject;
      const run = () => runOnce(policy, compiledPolicy(policy), params, context);
      const { failures, broken } = await context.share.run(tenant.id, signal, run);
      results.push(...broken.map((message) => denied(message)));
      for (const { message, reason } of failures) {
        const actions = strings(child(binding, 'spec'), 'validationActions');
        if (actions.includes('Deny')) results.push(denied(message, reason));
        if (actions.includes('Warn')) context.warn(`Validation failed for ${who}: ${message}`);
        if (actions.includes('Audit'))
          context.annotate('validation.policy.admission.k8s.io/validation_failure', message);
      }
    }
    return results;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return ignoresFailures ? [] : [denied(`failed to configure binding: ${error.message}`)];
  }
}

interface Run {
  /** Which the binding's actions are for. */
  readonly failures: readonly Denial[];
  /** Audit annotations that could not be made: they deny whatever the actions are. */
  readonly broken: readonly string[];
}

function runOnce(
  policy: JsonObject,
  compiled: CompiledPolicy,
  params: JsonObject | null | undefined,
  { subject, given, as, ask, annotate }: Judging,
): Run {
  const options = { subject, given, as, params, ask, variables: compiled.variables };
  const failing = (error: string): Run => ({
    failures: compiled.ignoresFailures ? [] : [{ message: error, reason: '' }],
    broken: [],
  });
  try {
    const met = conditionsMet(compiled.conditions, new Evaluation(options), compiled.ignoresFailures);
    if ('error' in met) return failing(met.error);
    if (!met.met) return { failures: [], broken: [] };
    const evaluation = new Evaluation(options);
    const failures = compiled.validations.flatMap((validation) =>
      fails(validation, evaluation, compiled.ignoresFailures),
    );
    const broken: string[] = [];
    for (const { key, expression } of compiled.annotations) {
      const outcome = evaluation.run(expression);
      if ('error' in outcome) {
        if (!compiled.ignoresFailures) broken.push(outcome.error);
      } else if (typeof outcome.value === 'string' && outcome.value.trim() !== '') {
        annotate(`${nameOf(policy)}/${key}`, outcome.value.trim());
      }
    }
    return { failures, broken };
  } catch (error) {
    if (error instanceof OutOfBudget) return failing(error.message);
    throw error;
  }
}

function fails(validation: Validation, evaluation: Evaluation, ignoresFailures: boolean): Denial[] {
  const outcome = evaluation.run(validation.expression);
  if ('error' in outcome) return ignoresFailures ? [] : [{ message: outcome.error, reason: '' }];
  if (outcome.value === true) return [];
  const { messageExpression, message, expression, reason } = validation;
  const worded = messageExpression === undefined ? '' : wordsOf(evaluation.run(messageExpression));
  return [{ message: worded || message.trim() || `failed expression: ${expression.text}`, reason }];
}

/** A message that an expression gave; '' for what is no text, too long or of several lines. */
function wordsOf(outcome: Outcome): string {
  if ('error' in outcome || typeof outcome.value !== 'string') return '';
  const words = outcome.value.trim();
  return Buffer.byteLength(words) > MAX_MESSAGE_BYTES || words.includes('\n') ? '' : words;
}
