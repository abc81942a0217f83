/**
 * Does one RBAC rule allow one request? Exactly as kube-apiserver's RBAC authorizer answers.
 *
 * A rule is compiled once into sets and asked often. What a rule does not name, it does not allow; a rule that is not
 * well-formed (a field that is no list of strings) allows nothing.
 *
 * @see k8s.io/kubernetes pkg/apis/rbac/v1/evaluation_helpers.go at v1.36
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
import { PathPatterns } from '../k8s/path-patterns.ts';
import type { Attributes, PolicyRule } from '../k8s/rbac.ts';
import { isObject, type JsonValue } from '../k8s/types.ts';
import { oneOf } from '../lib/one-of.ts';

const FIELDS = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;

/** A rule with what is needed to ask it quickly. */
export interface CompiledRule {
  readonly rule: PolicyRule;
  /** The same for rules that say the same in the same order. */
  readonly key: string;
  readonly allows: (attributes: Attributes) => boolean;
  /** The same whatever the name of the object, which must be one of `names`. */
  readonly covers: (attributes: Extract<Attributes, { isResource: true }>) => boolean;
  /** Undefined for all. */
  readonly names: ReadonlySet<string> | undefined;
}

/** The `rules` of a Role or ClusterRole; an entry that is not well-formed is left out. */
export function readRules(rules: JsonValue | undefined): PolicyRule[] {
  return Array.isArray(rules) ? rules.map(readRule).filter((rule) => rule !== undefined) : [];
}

function readRule(rule: JsonValue): PolicyRule | undefined {
  if (!isObject(rule)) return undefined;
  const read: { -readonly [Key in keyof PolicyRule]?: readonly string[] } = {};
  for (const field of FIELDS) {
    const value = Object.hasOwn(rule, field) ? rule[field] : undefined;
    // All or nothing: `resourceNames` read as empty would widen the rule.
    if (value !== undefined && value !== null && !isStrings(value)) return undefined;
    read[field] = value ?? [];
  }
  return read as PolicyRule;
}

function isStrings(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

export function compileRule(rule: PolicyRule): CompiledRule {
  const verbs = matcher(rule.verbs);
  const groups = matcher(rule.apiGroups);
  const resources = resourceMatcher(rule.resources);
  const names = rule.resourceNames.length === 0 ? undefined : new Set(rule.resourceNames);
  const urls = urlMatcher(rule.nonResourceURLs);
  const covers: CompiledRule['covers'] = ({ verb, group, resource, subresource }) =>
    verbs(verb) && groups(group) && resources(resource, subresource);
  return {
    rule,
    // Asked for where roles are gathered alone.
    get key() {
      return JSON.stringify(FIELDS.map((field) => rule[field]));
    },
    covers,
    names,
    allows(attributes) {
      if (!attributes.isResource) return verbs(attributes.verb) && urls(attributes.path);
      return covers(attributes) && (names === undefined || names.has(attributes.name));
    },
  };
}

function matcher(values: readonly string[]): (value: string) => boolean {
  return values.includes('*') ? () => true : oneOf(values);
}

/** `*` is everything, `pods/log` one subresource, `* /scale` (without the blank) that subresource of every resource. */
function resourceMatcher(values: readonly string[]): (resource: string, subresource: string) => boolean {
  if (values.includes('*')) return () => true;
  const has = oneOf(values);
  return (resource, subresource) =>
    subresource === '' ? has(resource) : has(`${resource}/${subresource}`) || has(`*/${subresource}`);
}

function urlMatcher(values: readonly string[]): (path: string) => boolean {
  if (values.length === 0) return () => false;
  const patterns = new PathPatterns(values);
  return (path) => patterns.has(path);
}
