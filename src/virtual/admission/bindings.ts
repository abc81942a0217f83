/**
 * What kube-apiserver refuses in the binding of an admission policy, in its own words and order.
 * @see k8s.io/kubernetes pkg/apis/admissionregistration/validation/validation.go at v1.36
 */
import { duplicate, type FieldProblem, invalidValue, notSupported, required } from '../../k8s/field-problems.ts';
import { DNS_SUBDOMAIN } from '../../k8s/name-rules.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, list, requiredName, words } from '../field-checks.ts';
import { matchResourcesProblems } from './match-resources.ts';
import { paramRefProblems } from './params.ts';
import { mutatingOperationProblems } from './rules.ts';

const ACTIONS = ['Audit', 'Deny', 'Warn'];

export function validatingBindingProblems(binding: JsonObject): FieldProblem[] {
  const actions = words(child(binding, 'spec'), 'validationActions');
  return [...sharedProblems(binding), ...actionProblems(actions, 'spec.validationActions')];
}

export function mutatingBindingProblems(binding: JsonObject): FieldProblem[] {
  const rules = list(child(child(binding, 'spec'), 'matchResources'), 'resourceRules');
  return [...sharedProblems(binding), ...mutatingOperationProblems(rules, 'spec.matchResources.resourceRules')];
}

function sharedProblems(binding: JsonObject): FieldProblem[] {
  const spec = child(binding, 'spec');
  return [
    ...requiredName('spec.policyName', text(spec, 'policyName'), DNS_SUBDOMAIN),
    ...(isSet(spec, 'paramRef') ? paramRefProblems(child(spec, 'paramRef'), 'spec.paramRef') : []),
    ...(isSet(spec, 'matchResources')
      ? matchResourcesProblems(child(spec, 'matchResources'), 'spec.matchResources')
      : []),
  ];
}

function actionProblems(actions: readonly string[], field: string): FieldProblem[] {
  const problems = actions.flatMap((action, at) => [
    ...(ACTIONS.includes(action) ? [] : [notSupported(`${field}[${at}]`, action, ACTIONS)]),
    ...(actions.indexOf(action) < at ? [duplicate(`${field}[${at}]`, action)] : []),
  ]);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    problems.push(invalidValue(field, [...actions], detail));
  }
  if (actions.length === 0) problems.push(required(field, 'at least one validation action is required'));
  return problems;
}
