/**
 * What kube-apiserver refuses in a LabelSelector.
 * @see k8s.io/apimachinery pkg/apis/meta/v1/validation/validation.go at v0.36
 */
import { type FieldProblem, forbiddenField, invalidValue, required } from '../k8s/field-problems.ts';
import { labelKeyProblems, labelValueProblem } from '../k8s/name-rules.ts';
import { child, text } from '../k8s/read.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { list, qualifiedNameFaults, words } from './field-checks.ts';

/** @param path where the selector stands */
export function selectorProblems(selector: JsonObject, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [key, value] of Object.entries(child(selector, 'matchLabels'))) {
    for (const problem of labelKeyProblems(key)) problems.push(invalidValue(`${path}.matchLabels`, key, problem));
    const valueProblem = labelValueProblem(word(value));
    if (valueProblem !== undefined) problems.push(invalidValue(`${path}.matchLabels`, word(value), valueProblem));
  }
  list(selector, 'matchExpressions').forEach((expression, at) => {
    problems.push(...requirementProblems(expression, `${path}.matchExpressions[${at}]`));
  });
  return problems;
}

/** Of one entry of `matchExpressions`. */
export function requirementProblems(expression: JsonObject, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const operator = text(expression, 'operator');
  const values = words(expression, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) problems.push(required(`${path}.values`, detail));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) problems.push(forbiddenField(`${path}.values`, detail));
  } else problems.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'));
  problems.push(...qualifiedNameFaults(`${path}.key`, text(expression, 'key')));
  values.forEach((value, at) => {
    const problem = labelValueProblem(value);
    if (problem !== undefined) problems.push(invalidValue(`${path}.values[${at}]`, value, problem));
  });
  return problems;
}

function word(value: JsonValue): string {
  return typeof value === 'string' ? value : '';
}

/** As Go prints one, where a table shows a selector. */
export function selectorText(selector: JsonObject): string {
  const labels = Object.entries(child(selector, 'matchLabels'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${word(value)},`);
  const expressions = list(selector, 'matchExpressions').map((expression) => {
    const values = words(expression, 'values').join(' ');
    return `LabelSelectorRequirement{Key:${text(expression, 'key')},Operator:${text(expression, 'operator')},Values:[${values}],},`;
  });
  const matchLabels = `MatchLabels:map[string]string{${labels.join('')}},`;
  return `&LabelSelector{${matchLabels}MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
