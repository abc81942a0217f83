/**
 * Rules that somebody holds, arranged by what they name: of a right that is asked for, only those are looked at that name
 * one of its verbs, groups, resources, names or paths, by whichever of them the fewest do.
 *
 * A right must be held by one single rule, as the API server weighs it.
 *
 * @see k8s.io/component-helpers auth/rbac/validation/policy_comparator.go (ruleCovers) at v0.36
 */
import { oneOf } from '../lib/one-of.ts';
import type { Pace, Steps } from '../lib/turns.ts';
import { PathPatterns } from './path-patterns.ts';
import { type PolicyRule, sizeOf } from './rbac.ts';

const FIELDS = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;
const NONE: readonly HeldRule[] = [];

export class HeldRules {
  readonly #pace: Pace;
  /** By each value of each field. */
  readonly #naming: Record<(typeof FIELDS)[number], Map<string, HeldRule[]>> = {
    verbs: new Map(),
    apiGroups: new Map(),
    resources: new Map(),
    resourceNames: new Map(),
    nonResourceURLs: new Map(),
  };
  readonly #ofAnyName: HeldRule[] = [];
  readonly #ofPathsBelow: HeldRule[] = [];

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  *add(rules: Iterable<PolicyRule>): Steps<void> {
    for (const rule of rules) {
      if (this.#pace.spend(20 * (1 + sizeOf(rule)))) yield;
      const held = new HeldRule(rule);
      for (const field of FIELDS) {
        for (const value of rule[field]) put(this.#naming[field], value, held);
      }
      if (rule.resourceNames.length === 0) this.#ofAnyName.push(held);
      if (rule.nonResourceURLs.some((url) => url.endsWith('*'))) this.#ofPathsBelow.push(held);
    }
  }

  /** Whether one of the rules covers all of another. */
  *cover(asked: PolicyRule): Steps<boolean> {
    const size = 1 + sizeOf(asked);
    if (this.#pace.spend(5 * size)) yield;
    for (const some of this.#fewest(asked)) {
      for (const held of some) {
        if (this.#pace.spend(held.sizeOf(asked, size))) yield;
        if (held.covers(asked)) return true;
      }
    }
    return false;
  }

  /** Lists of rules among which every one is that covers what is asked for. */
  #fewest(asked: PolicyRule): readonly (readonly HeldRule[])[] {
    let fewest: readonly (readonly HeldRule[])[] | undefined;
    let least = Number.POSITIVE_INFINITY;
    const consider = (...lists: readonly (readonly HeldRule[])[]): void => {
      const count = lists.reduce((sum, { length }) => sum + length, 0);
      if (count < least) [fewest, least] = [lists, count];
    };
    const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = this.#naming;
    const of = (map: ReadonlyMap<string, HeldRule[]>, value: string) => map.get(value) ?? NONE;
    for (const verb of asked.verbs) consider(of(verbs, verb), of(verbs, '*'));
    for (const group of asked.apiGroups) consider(of(apiGroups, group), of(apiGroups, '*'));
    for (const resource of asked.resources) {
      const held = new Set([resource, everySuch(resource), '*']);
      consider(...Array.from(held, (one) => of(resources, one)));
    }
    for (const name of asked.resourceNames) consider(of(resourceNames, name), this.#ofAnyName);
    if (asked.resourceNames.length === 0) consider(this.#ofAnyName);
    for (const url of asked.nonResourceURLs) consider(of(nonResourceURLs, url), this.#ofPathsBelow);
    return fewest ?? [];
  }
}

/** `pods/log` -> `* /log` (without the blank); `pods` -> `*`. */
function everySuch(resource: string): string {
  const slash = resource.indexOf('/');
  return slash < 0 ? '*' : `*${resource.slice(slash)}`;
}

function put(map: Map<string, HeldRule[]>, value: string, held: HeldRule): void {
  const known = map.get(value);
  if (known === undefined) map.set(value, [held]);
  // A rule may name a thing twice.
  else if (known.at(-1) !== held) known.push(held);
}

type Has = (value: string) => boolean;
const always: Has = () => true;

class HeldRule {
  readonly #rule: PolicyRule;
  /** Made when it is first asked for: of most rules it never is. */
  #has: { readonly verb: Has; readonly group: Has; readonly resource: Has; readonly name: Has } | undefined;
  #paths: PathPatterns | undefined;

  constructor(rule: PolicyRule) {
    this.#rule = rule;
  }

  /** What it costs to ask. @param size of what is asked for */
  sizeOf({ nonResourceURLs }: PolicyRule, size: number): number {
    const own = this.#has === undefined ? 10 * sizeOf(this.#rule) : 0;
    return nonResourceURLs.length === 0 ? size + own : size + own + this.#patterns().lengths * size;
  }

  covers(asked: PolicyRule): boolean {
    this.#has ??= matchers(this.#rule);
    const { verb, group, resource, name } = this.#has;
    if (!asked.verbs.every(verb) || !asked.apiGroups.every(group) || !asked.resources.every(resource)) return false;
    if (asked.nonResourceURLs.length > 0 && !asked.nonResourceURLs.every((url) => this.#patterns().has(url)))
      return false;
    if (this.#rule.resourceNames.length === 0) return true;
    return asked.resourceNames.length > 0 && asked.resourceNames.every(name);
  }

  #patterns(): PathPatterns {
    this.#paths ??= new PathPatterns(this.#rule.nonResourceURLs);
    return this.#paths;
  }
}

function matchers({ verbs, apiGroups, resources, resourceNames }: PolicyRule) {
  const resource = oneOf(resources);
  return {
    verb: verbs.includes('*') ? always : oneOf(verbs),
    group: apiGroups.includes('*') ? always : oneOf(apiGroups),
    resource: resources.includes('*') ? always : (one: string) => resource(one) || resource(everySuch(one)),
    name: oneOf(resourceNames),
  };
}
