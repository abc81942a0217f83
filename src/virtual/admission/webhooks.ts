/**
 * What kube-apiserver refuses in a webhook configuration, in its own words and order. An update is allowed what the
 * stored object has already: that is how configurations that were written under older rules can still be changed.
 *
 * @see k8s.io/kubernetes pkg/apis/admissionregistration/validation/validation.go at v1.36
 */
import { isDeepStrictEqual } from 'node:util';
import { clientConfigProblems } from '../../k8s/client-config.ts';
import { duplicate, type FieldProblem, invalidValue, required } from '../../k8s/field-problems.ts';
import { DNS_1035_LABEL, DNS_SUBDOMAIN, nameProblems } from '../../k8s/name-rules.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { isSet, list, number, values, wordFaults, words } from '../field-checks.ts';
import { selectorProblems } from '../label-selector.ts';
import { matchConditionProblems } from './match-conditions.ts';
import { MATCH_POLICIES } from './match-resources.ts';
import { ruleProblems } from './rules.ts';

export const FAILURE_POLICIES = ['Fail', 'Ignore'];
export const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const SELECTORS = ['namespaceSelector', 'objectSelector'];

/** Which rules hold: on an update, those that the stored object keeps. */
interface Strictness {
  readonly noSideEffects: boolean;
  readonly knownReviewVersions: boolean;
  readonly uniqueNames: boolean;
  readonly labelValues: boolean;
  readonly conditions: boolean;
}

/** The validation of one of the two kinds. @param mutating which of them */
export function webhookConfigurationProblems(mutating: boolean) {
  return (object: JsonObject, previous: JsonObject | undefined): FieldProblem[] => {
    const hooks = list(object, 'webhooks');
    const strict = strictnessOf(hooks, previous === undefined ? undefined : list(previous, 'webhooks'));
    const names = hooks.map((hook) => text(hook, 'name'));
    return hooks.flatMap((hook, at) => {
      const path = `webhooks[${at}]`;
      const name = names[at] ?? '';
      const isTaken = strict.uniqueNames && name !== '' && names.indexOf(name) < at;
      return [
        ...hookProblems(hook, path, mutating, strict),
        ...reviewVersionProblems(words(hook, 'admissionReviewVersions'), `${path}.admissionReviewVersions`, strict),
        ...(isTaken ? [duplicate(`${path}.name`, name)] : []),
      ];
    });
  };
}

function strictnessOf(hooks: readonly JsonObject[], stored: readonly JsonObject[] | undefined): Strictness {
  if (stored === undefined) {
    return { noSideEffects: true, knownReviewVersions: true, uniqueNames: true, labelValues: true, conditions: true };
  }
  const names = stored.map((hook) => text(hook, 'name'));
  const conditions = (of: readonly JsonObject[]) => of.map((hook) => values(hook, 'matchConditions'));
  return {
    noSideEffects: stored.every((hook) => NO_SIDE_EFFECTS.includes(text(hook, 'sideEffects'))),
    knownReviewVersions: stored.every((hook) => {
      const versions = words(hook, 'admissionReviewVersions');
      return versions.length === 0 || versions.some((version) => REVIEW_VERSIONS.includes(version));
    }),
    uniqueNames: new Set(names).size === names.length,
    labelValues: stored.every((hook) => SELECTORS.every((key) => selectorProblems(child(hook, key), key).length === 0)),
    conditions: hooks.length !== stored.length || !isDeepStrictEqual(conditions(hooks), conditions(stored)),
  };
}

function hookProblems(hook: JsonObject, path: string, mutating: boolean, strict: Strictness): FieldProblem[] {
  const sideEffects = strict.noSideEffects ? NO_SIDE_EFFECTS : SIDE_EFFECTS;
  const timeout = number(hook, 'timeoutSeconds');
  return [
    ...hookNameProblems(text(hook, 'name'), `${path}.name`),
    ...list(hook, 'rules').flatMap((rule, at) => ruleProblems(rule, `${path}.rules[${at}]`)),
    ...wordFaults(`${path}.failurePolicy`, hook['failurePolicy'], FAILURE_POLICIES),
    ...wordFaults(`${path}.matchPolicy`, hook['matchPolicy'], MATCH_POLICIES),
    ...(isSet(hook, 'sideEffects')
      ? wordFaults(`${path}.sideEffects`, hook['sideEffects'], sideEffects)
      : [required(`${path}.sideEffects`, `must specify one of ${sideEffects.join(', ')}`)]),
    ...(timeout !== undefined && (timeout > 30 || timeout < 1)
      ? [invalidValue(`${path}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...SELECTORS.flatMap((key) => hookSelectorProblems(child(hook, key), `${path}.${key}`, strict)),
    ...(mutating ? wordFaults(`${path}.reinvocationPolicy`, hook['reinvocationPolicy'], REINVOCATION_POLICIES) : []),
    ...clientConfigProblems(child(hook, 'clientConfig'), `${path}.clientConfig`),
    ...(strict.conditions ? matchConditionProblems(hook, `${path}.matchConditions`, false) : []),
  ];
}

/** Values of labels were not looked at in earlier versions; what was stored then may stay. */
function hookSelectorProblems(selector: JsonObject, path: string, strict: Strictness): FieldProblem[] {
  const problems = selectorProblems(selector, path);
  return strict.labelValues ? problems : problems.filter(({ field }) => !/\.values\[\d+\]$/.test(field));
}

function hookNameProblems(name: string, field: string): FieldProblem[] {
  if (name === '') return [required(field)];
  const problems = nameProblems(name, DNS_SUBDOMAIN);
  if (problems.length > 0) return [invalidValue(field, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(field, name, 'should be a domain with at least three segments separated by dots')];
}

function reviewVersionProblems(versions: readonly string[], field: string, strict: Strictness): FieldProblem[] {
  if (versions.length === 0) return [required(field, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const problems = versions.flatMap((version, at) => {
    if (versions.indexOf(version) < at) return [invalidValue(`${field}[${at}]`, version, 'duplicate version')];
    return nameProblems(version, DNS_1035_LABEL).map((why) => invalidValue(`${field}[${at}]`, version, why));
  });
  if (strict.knownReviewVersions && !versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    const detail = `must include at least one of ${REVIEW_VERSIONS.join(', ')}`;
    problems.push(invalidValue(field, [...versions], detail));
  }
  return problems;
}
