/**
 * Which requests a webhook, a policy or a binding is for: by its rules, by the labels of the namespace, by the labels of
 * the object as it is or was.
 *
 * The rules are asked first, without any object, so that a request of which nothing speaks costs nothing more.
 * Under `matchPolicy: Equivalent` a rule also reaches the other versions of a resource. Objects are then shown in the version
 * that the rule names.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/policy/matching/matching.go, webhook/predicates at v0.36
 */
import { labelsOf } from '../k8s/meta.ts';
import { child, objects, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { AdmissionSubject, EquivalentResource } from '../ports.ts';
import { ruleMatches } from './rules.ts';
import { isEmpty, selects } from './selector.ts';

export interface AdmittedObjects {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
}

/** How a rule speaks of a request. */
export interface Match {
  /** The version in which it does, where it is not the request's own. */
  readonly as: EquivalentResource | undefined;
}

const AS_IT_IS: Match = { as: undefined };

/**
 * By the rules of a policy or a binding alone; undefined when they do not speak of the request.
 * @param matchResources `{resourceRules, excludeResourceRules, matchPolicy}`; without rules, all is meant
 */
export function policyMatch(matchResources: JsonObject | undefined, subject: AdmissionSubject): Match | undefined {
  const rules = objects(matchResources, 'resourceRules');
  const isEquivalent = text(matchResources, 'matchPolicy') !== 'Exact';
  if (anyMatch(objects(matchResources, 'excludeResourceRules'), isEquivalent, subject) !== undefined) return undefined;
  return rules.length === 0 ? AS_IT_IS : anyMatch(rules, isEquivalent, subject);
}

/** By the rules of a webhook alone. */
export function webhookMatch(webhook: JsonObject, subject: AdmissionSubject): Match | undefined {
  return anyMatch(objects(webhook, 'rules'), text(webhook, 'matchPolicy') !== 'Exact', subject);
}

/** A rule that speaks of the very version goes before others; then the first rule decides. */
function anyMatch(rules: readonly JsonObject[], isEquivalent: boolean, subject: AdmissionSubject): Match | undefined {
  if (rules.some((rule) => ruleMatches(rule, subject))) return AS_IT_IS;
  if (!isEquivalent || rules.length === 0) return undefined;
  const equivalents = subject.equivalents();
  for (const rule of rules) {
    const as = equivalents.find(({ group, version, resource }) =>
      ruleMatches(rule, { ...subject, group, version, resource }),
    );
    if (as !== undefined) return { as };
  }
  return undefined;
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
