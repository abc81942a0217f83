/**
 * The ClusterRoles of one tenant, with what each grants. A role that has an aggregation rule grants what the roles that
 * it selects by their labels grant at this moment, themselves aggregated or not; the rules that it stores count for
 * nothing. Roles that select each other in a circle gain nothing by it.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 * @see k8s.io/kubernetes pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go at v1.36
 */
import { readLabelSelector } from '../k8s/label-selector.ts';
import { labelsOf } from '../k8s/meta.ts';
import { type PolicyRule, sizeOf } from '../k8s/rbac.ts';
import { child, objects } from '../k8s/read.ts';
import type { LabelSelector } from '../k8s/selector.ts';
import type { JsonObject } from '../k8s/types.ts';
import { type CompiledRule, compileRule, readRules } from './rules.ts';

export interface AggregatedRole {
  readonly name: string;
  /** What it grants. */
  readonly rules: readonly PolicyRule[];
  /** What it says that it grants. */
  readonly stored: readonly PolicyRule[];
}

interface Role {
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly CompiledRule[];
  /** What it costs to gather them. */
  readonly work: number;
  /** Undefined for a role that gathers nothing. */
  readonly selectors: readonly LabelSelector[] | undefined;
}

/**
 * How many labels are compared and rules gathered for a tenant, after each change of a role of its own. Selectors that
 * name a label and its value cost next to nothing; thousands that do not, over thousands of roles, would stop the
 * process. It is some ten milliseconds.
 */
const WORK = 100_000;
/** What a rule costs, where to compare a label costs one: besides, each thing that it names, and the length of their names. */
const RULE = 5;
const CHARACTERS = 50;
const TOO_MUCH = 'gathers from too many roles by too many selectors';

export class ClusterRoles {
  readonly #defaults: ClusterRoles | undefined;
  readonly #own = new Map<string, Role>();
  /** What aggregated roles grant, until any role changes. */
  #sorted: readonly string[] | undefined;
  #labelled: ReadonlyMap<string, readonly string[]> | undefined;
  #workLeft = WORK;
  readonly #gathered = new Map<string, readonly CompiledRule[] | typeof TOO_MUCH>();

  constructor(defaults?: ClusterRoles) {
    this.#defaults = defaults;
  }

  /** Of its own. */
  get size(): number {
    return this.#own.size;
  }

  put(name: string, object: JsonObject): void {
    const aggregation = object['aggregationRule'];
    const rules = readRules(object['rules']);
    this.#own.set(name, {
      labels: labelsOf(object),
      rules: rules.map(compileRule),
      work: rules.reduce((sum, rule) => sum + workOf(rule), 0),
      selectors:
        aggregation === undefined || aggregation === null
          ? undefined
          : objects(child(object, 'aggregationRule'), 'clusterRoleSelectors')
              .map(readLabelSelector)
              .filter((selector) => selector !== undefined),
    });
    this.#changed();
  }

  remove(name: string): void {
    this.#own.delete(name);
    this.#changed();
  }

  /** What the role of this name grants; undefined when there is none, and in words why it grants nothing. */
  rules(name: string): readonly CompiledRule[] | typeof TOO_MUCH | undefined {
    const role = this.#get(name);
    if (role?.selectors === undefined) return role?.rules;
    // Without roles of its own the tenant has the defaults' answer, which is worked out once for all of them.
    if (this.#own.size === 0 && this.#defaults !== undefined) return this.#defaults.rules(name);
    const known = this.#gathered.get(name);
    if (known !== undefined) return known;
    const found = new Map<string, CompiledRule>();
    const gathered = this.#gather(role, new Set([name]), found) ? [...found.values()] : TOO_MUCH;
    this.#gathered.set(name, gathered);
    return gathered;
  }

  *aggregated(): Iterable<AggregatedRole> {
    for (const name of this.#names()) {
      const role = this.#get(name);
      if (role?.selectors === undefined) continue;
      const rules = this.rules(name);
      if (rules === undefined || typeof rules === 'string') continue;
      yield { name, rules: rules.map(({ rule }) => rule), stored: role.rules.map(({ rule }) => rule) };
    }
  }

  #get(name: string): Role | undefined {
    return this.#own.get(name) ?? (this.#defaults === undefined ? undefined : this.#defaults.#get(name));
  }

  #names(): readonly string[] {
    const others = this.#defaults === undefined ? [] : this.#defaults.#names();
    this.#sorted ??= [...new Set([...this.#own.keys(), ...others])].sort();
    return this.#sorted;
  }

  #changed(): void {
    this.#sorted = undefined;
    this.#labelled = undefined;
    this.#workLeft = WORK;
    this.#gathered.clear();
  }

  /**
   * Adds the rules of the roles that a role selects, each once: selector by selector, roles by name.
   * @param met every role is looked at once, by whatever way it is selected
   * @returns false when that is too much work: then the role grants nothing
   */
  #gather({ selectors = [] }: Role, met: Set<string>, found: Map<string, CompiledRule>): boolean {
    for (const selector of selectors) {
      const cost = selector.requirements.reduce((sum, { values }) => sum + 1 + values.length, 1);
      for (const name of this.#candidates(selector)) {
        if (!this.#spend(cost)) return false;
        const role = this.#get(name);
        if (role === undefined || met.has(name) || !selector.matches(role.labels)) continue;
        met.add(name);
        if (role.selectors === undefined) {
          if (!this.#spend(role.work)) return false;
          for (const rule of role.rules) {
            const { key } = rule;
            if (!found.has(key)) found.set(key, rule);
          }
        } else if (!this.#gather(role, met, found)) return false;
      }
    }
    return true;
  }

  #spend(work: number): boolean {
    this.#workLeft -= work;
    return this.#workLeft >= 0;
  }

  /** Names of the roles that it may select, in order. */
  #candidates({ requirements }: LabelSelector): readonly string[] {
    for (const { key, operator, values } of requirements) {
      const [value, ...others] = values;
      if (operator !== 'In' || value === undefined || others.length > 0) continue;
      this.#labelled ??= this.#byLabel();
      return this.#labelled.get(labelKey(key, value)) ?? [];
    }
    return this.#names();
  }

  #byLabel(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const name of this.#names()) {
      for (const [key, value] of Object.entries(this.#get(name)?.labels ?? {})) {
        const label = labelKey(key, value);
        const known = found.get(label);
        if (known === undefined) found.set(label, [name]);
        else known.push(name);
      }
    }
    return found;
  }
}

function workOf(rule: PolicyRule): number {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const named = [verbs, apiGroups, resources, resourceNames, nonResourceURLs];
  const characters = named.reduce((sum, list) => list.reduce((length, one) => length + one.length, sum), 0);
  return RULE + sizeOf(rule) + characters / CHARACTERS;
}

/** No label has a `=` in its key. */
function labelKey(key: string, value: string): string {
  return `${key}=${value}`;
}
