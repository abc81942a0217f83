/**
 * Does a rule of a webhook or a policy speak of a request?
 * @see k8s.io/apiserver pkg/admission/plugin/webhook/predicates/rules/rules.go at v0.36
 */
import { strings, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { AdmissionSubject } from '../ports.ts';

export type RuleSubject = Pick<
  AdmissionSubject,
  'operation' | 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name' | 'anyName'
>;

export function ruleMatches(rule: JsonObject, subject: RuleSubject): boolean {
  return (
    inScope(text(rule, 'scope'), subject) &&
    isListed(strings(rule, 'operations'), subject.operation) &&
    isListed(strings(rule, 'apiGroups'), subject.group) &&
    isListed(strings(rule, 'apiVersions'), subject.version) &&
    strings(rule, 'resources').some((resource) => resourceMatches(resource, subject)) &&
    (subject.anyName === true || isNamed(strings(rule, 'resourceNames'), subject.name))
  );
}

function inScope(scope: string, subject: RuleSubject): boolean {
  if (scope === '' || scope === '*') return true;
  const isNamespaced = !isNamespaces(subject) && subject.namespace !== '';
  return scope === 'Namespaced' ? isNamespaced : scope === 'Cluster' && !isNamespaced;
}

function isNamespaces({ group, resource }: RuleSubject): boolean {
  return group === '' && resource === 'namespaces';
}

function isListed(values: readonly string[], wanted: string): boolean {
  return values.includes('*') || values.includes(wanted);
}

/** `pods`, `pods/status`, or a star on either side; without a slash no subresource is meant. */
function resourceMatches(rule: string, { resource, subresource }: RuleSubject): boolean {
  const slash = rule.indexOf('/');
  const wanted = slash === -1 ? rule : rule.slice(0, slash);
  const sub = slash === -1 ? '' : rule.slice(slash + 1);
  return (wanted === '*' || wanted === resource) && (sub === '*' || sub === subresource);
}

/** An empty list names all. */
function isNamed(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

const CONFIGURATION = 'admissionregistration.k8s.io';
const EXEMPT = new Set([
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** What configures admission is not itself admitted, so that nobody can lock themselves out by a faulty rule. */
export function isExempt({ kind }: Pick<AdmissionSubject, 'kind'>): boolean {
  return kind.group === CONFIGURATION && EXEMPT.has(kind.kind);
}
