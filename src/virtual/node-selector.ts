/**
 * What kube-apiserver refuses in a NodeSelector.
 * @see k8s.io/kubernetes pkg/apis/core/validation/validation.go (ValidateNodeSelector) at v1.36
 */
import { type FieldProblem, invalidValue, required } from '../k8s/field-problems.ts';
import { DNS_SUBDOMAIN } from '../k8s/name-rules.ts';
import { text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { isSet, list, nameFaults, words } from './field-checks.ts';
import { requirementProblems } from './label-selector.ts';

/** @param path where the selector stands */
export function nodeSelectorProblems(selector: JsonObject, path: string): FieldProblem[] {
  const terms = list(selector, 'nodeSelectorTerms');
  if (terms.length === 0) return [required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term')];
  return terms.flatMap((term, at) => termProblems(term, `${path}.nodeSelectorTerms[${at}]`));
}

function termProblems(term: JsonObject, path: string): FieldProblem[] {
  return [
    ...list(term, 'matchExpressions').flatMap((one, at) => labelProblems(one, `${path}.matchExpressions[${at}]`)),
    ...list(term, 'matchFields').flatMap((one, at) => fieldProblems(one, `${path}.matchFields[${at}]`)),
  ];
}

function labelProblems(requirement: JsonObject, path: string): FieldProblem[] {
  const operator = text(requirement, 'operator');
  if (operator !== 'Gt' && operator !== 'Lt') return requirementProblems(requirement, path);
  const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
  const isOne = words(requirement, 'values').length === 1;
  // Everything else is as for an operator that takes values.
  const others = requirementProblems(
    { ...requirement, operator: 'In', values: [...words(requirement, 'values')] },
    path,
  );
  const own = isOne ? [] : [required(`${path}.values`, detail)];
  return [...own, ...others.filter(({ reason }) => reason !== 'FieldValueRequired')];
}

function fieldProblems(requirement: JsonObject, path: string): FieldProblem[] {
  const [operator, key] = [text(requirement, 'operator'), text(requirement, 'key')];
  const values = words(requirement, 'values');
  const problems: FieldProblem[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    problems.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    problems.push(required(`${path}.values`, detail));
  }
  if (key !== 'metadata.name') {
    return [...problems, invalidValue(`${path}.key`, key, 'not a valid field selector key')];
  }
  return [...problems, ...values.flatMap((value, at) => nameFaults(`${path}.values[${at}]`, value, DNS_SUBDOMAIN))];
}

/** A term as the API server prints its own type. */
export function shownTerm(term: JsonObject): JsonObject {
  const shown = (key: string) =>
    isSet(term, key)
      ? list(term, key).map((one) => ({
          Key: text(one, 'key'),
          Operator: text(one, 'operator'),
          Values: words(one, 'values'),
        }))
      : null;
  return { MatchExpressions: shown('matchExpressions'), MatchFields: shown('matchFields') };
}
