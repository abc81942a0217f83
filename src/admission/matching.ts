/**
 * Which requests a webhook, a policy or a binding is for: by its rules, by the labels of the namespace, by the labels of
 * the object as it is or was.
 *
 * The rules are asked first, without any object, so that a request of which nothing speaks costs nothing more.
 * `matchPolicy` has no effect yet: a rule reaches the versions that it names, as under `Exact`, for showing an object in
 * another version takes a conversion that only the API server has.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/policy/matching/matching.go, webhook/predicates at v0.36
 */
import { labelsOf } from '../k8s/meta.ts';
import { child, objects } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { AdmissionSubject } from '../ports.ts';
import { ruleMatches } from './rules.ts';
import { isEmpty, selects } from './selector.ts';

export interface AdmittedObjects {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
}

/** By the rules alone. @param matchResources `{resourceRules, excludeResourceRules}`; without rules, all is meant */
export function rulesMatch(matchResources: JsonObject | undefined, subject: AdmissionSubject): boolean {
  const rules = objects(matchResources, 'resourceRules');
  if (objects(matchResources, 'excludeResourceRules').some((rule) => ruleMatches(rule, subject))) return false;
  return rules.length === 0 || rules.some((rule) => ruleMatches(rule, subject));
}

/** By the selectors. */
export function selectorsMatch(
  selectors: JsonObject | undefined,
  subject: AdmissionSubject,
  given: AdmittedObjects,
): boolean {
  return namespaceMatches(selectors, subject, given) && objectMatches(selectors, given);
}

function namespaceMatches(
  selectors: JsonObject | undefined,
  subject: AdmissionSubject,
  given: AdmittedObjects,
): boolean {
  const { namespaceSelector } = selectors ?? {};
  if (!isObject(namespaceSelector) || isEmpty(namespaceSelector)) return true;
  if (subject.group === '' && subject.resource === 'namespaces' && subject.subresource === '') {
    // A namespace is judged by the labels that it is to have.
    return selects(namespaceSelector, labelsOf(given.object ?? given.oldObject ?? {}));
  }
  if (subject.namespace === '') return true;
  return selects(namespaceSelector, labelsOf(subject.namespaceObject() ?? {}));
}

/** One of the two is enough: who takes a label away is still seen. */
function objectMatches(selectors: JsonObject | undefined, { object, oldObject }: AdmittedObjects): boolean {
  const { objectSelector } = selectors ?? {};
  if (!isObject(objectSelector) || isEmpty(objectSelector)) return true;
  return [object, oldObject].some((one) => one !== undefined && selects(objectSelector, labelsOf(one)));
}

/** `spec.matchConstraints` of a policy, `spec.matchResources` of a binding; undefined when there is none. */
export function matchResourcesOf(
  object: JsonObject,
  field: 'matchConstraints' | 'matchResources',
): JsonObject | undefined {
  const resources = child(object, 'spec')[field];
  return isObject(resources) ? resources : undefined;
}
