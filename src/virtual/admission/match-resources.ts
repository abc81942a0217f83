/**
 * What a policy or a binding matches. `matchPolicy` and the selectors have defaults.
 * @see k8s.io/kubernetes pkg/apis/admissionregistration/validation/validation.go (validateMatchResources) at v1.36
 */
import type { FieldProblem } from '../../k8s/field-problems.ts';
import { child } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { list, wordFaults } from '../field-checks.ts';
import { selectorProblems } from '../label-selector.ts';
import { namedRuleProblems } from './rules.ts';

export const MATCH_POLICIES = ['Equivalent', 'Exact'];

export function matchResourcesProblems(match: JsonObject, path: string): FieldProblem[] {
  return [
    ...wordFaults(`${path}.matchPolicy`, match['matchPolicy'], MATCH_POLICIES),
    ...selectorProblems(child(match, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...selectorProblems(child(match, 'objectSelector'), `${path}.objectSelector`),
    ...['resourceRules', 'excludeResourceRules'].flatMap((rules) =>
      list(match, rules).flatMap((rule, at) => namedRuleProblems(rule, `${path}.${rules}[${at}]`)),
    ),
  ];
}
