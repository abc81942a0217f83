/**
 * matchConditions: all must hold. One that is false decides, whatever became of the others.
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/matchconditions/matcher.go at v0.36
 */
import type { Evaluation } from './evaluation.ts';
import type { Condition } from './policies.ts';

export type Met = { readonly met: boolean } | { readonly error: string };

/** @param ignoresFailures a condition that fails then counts as not met @throws {OutOfBudget} */
export function conditionsMet(conditions: readonly Condition[], evaluation: Evaluation, ignoresFailures: boolean): Met {
  const errors: string[] = [];
  for (const { expression } of conditions) {
    const outcome = evaluation.run(expression);
    if ('error' in outcome) errors.push(outcome.error);
    else if (outcome.value === false) return { met: false };
  }
  if (errors.length === 0) return { met: true };
  if (ignoresFailures) return { met: false };
  return { error: errors.length === 1 ? (errors[0] ?? '') : `[${[...new Set(errors)].join(', ')}]` };
}
