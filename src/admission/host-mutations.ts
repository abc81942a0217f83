/**
 * What a mutating policy of the host's own makes of an object, on hosts that do not run such policies themselves. Its rules
 * and conditions are the webhook's, so that whatever is asked about is meant; each of its mutations is a JSON patch.
 */
import type { Ask } from '../cel/kubernetes/authorizer.ts';
import type { JsonObject } from '../k8s/types.ts';
import { Evaluation, type EvaluationSubject, OutOfBudget } from './evaluation.ts';
import type { AdmittedObjects } from './matching.ts';
import { MutationFailed, patched } from './patched.ts';
import { compiledPolicy } from './policies.ts';

/** The policy cannot be run on this object; in the API server's words, which are for the operator. */
export class HostMutationFailed extends Error {}

/** Of CPU: these are the operator's own, so only the object decides how long they take, and its size is limited. */
const RUN_MS = 1_000;
/** These policies ask for no rights. */
const NOBODY_MAY: Ask = () => ({ allowed: false, reason: '', error: '' });

export interface HostQuestion {
  readonly subject: EvaluationSubject;
  readonly given: AdmittedObjects;
  /** Undefined where the policy takes none. */
  readonly params: JsonObject | undefined;
}

/** @returns the object as the policy leaves it. @throws {HostMutationFailed} */
export function mutatedByHost(policy: JsonObject, { subject, given, params }: HostQuestion): JsonObject | undefined {
  const { mutations, variables } = compiledPolicy(policy);
  let { object } = given;
  for (const { expression } of mutations) {
    if (object === undefined) return undefined;
    const shown = { object, oldObject: given.oldObject };
    const evaluation = new Evaluation({ subject, given: shown, params, ask: NOBODY_MAY, runMs: RUN_MS, variables });
    try {
      const outcome = evaluation.run(expression);
      if ('error' in outcome) throw new HostMutationFailed(outcome.error);
      object = patched(object, outcome.value);
    } catch (error) {
      if (error instanceof MutationFailed || error instanceof OutOfBudget) throw new HostMutationFailed(error.message);
      throw error;
    }
  }
  return object;
}
