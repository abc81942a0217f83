/**
 * What kube-apiserver refuses in `status.conditions` of the common form.
 * @see k8s.io/apimachinery pkg/apis/meta/v1/validation/validation.go (ValidateConditions) at v0.36
 */
import { duplicate, type FieldProblem, invalidValue, notSupported, required, tooLong } from '../k8s/field-problems.ts';
import { text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { number, qualifiedNameFaults } from './field-checks.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const MAX_REASON = 1024;
const MAX_MESSAGE = 32 * 1024;
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_TEXT =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

export function conditionProblems(conditions: readonly JsonObject[], path: string): FieldProblem[] {
  const types = conditions.map((condition) => text(condition, 'type'));
  return conditions.flatMap((condition, at) => {
    const field = `${path}[${at}]`;
    const [type, status, reason] = [types[at] ?? '', text(condition, 'status'), text(condition, 'reason')];
    const problems = types.indexOf(type) < at ? [duplicate(`${field}.type`, type)] : [];
    problems.push(...qualifiedNameFaults(`${field}.type`, type));
    if (!STATUSES.includes(status)) problems.push(notSupported(`${field}.status`, status, STATUSES));
    const generation = number(condition, 'observedGeneration') ?? 0;
    if (generation < 0) {
      const detail = 'must be greater than or equal to zero';
      problems.push(invalidValue(`${field}.observedGeneration`, generation, detail));
    }
    if (text(condition, 'lastTransitionTime') === '') problems.push(required(`${field}.lastTransitionTime`));
    if (reason === '') problems.push(required(`${field}.reason`));
    else {
      if (!REASON.test(reason)) problems.push(invalidValue(`${field}.reason`, reason, REASON_TEXT));
      if (Buffer.byteLength(reason) > MAX_REASON) problems.push(tooLong(`${field}.reason`, MAX_REASON));
    }
    if (Buffer.byteLength(text(condition, 'message')) > MAX_MESSAGE) {
      problems.push(tooLong(`${field}.message`, MAX_MESSAGE));
    }
    return problems;
  });
}
