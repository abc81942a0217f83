/**
 * What one user may do in one namespace, as roles and bindings are at one moment: arranged by verb, resource and group as
 * it is asked for, so that a question that was asked before costs a few look-ups, however many groups the user has and
 * however many bindings name them.
 *
 * A reason names the first binding that allows, in the order in which they were met, as without it.
 */
import { aggregate } from '../k8s/aggregate.ts';
import type { Attributes, Decision } from '../k8s/rbac.ts';
import type { CompiledRule } from './rules.ts';

/** A binding that applies: the rules of its role, or in words why it has none. */
export interface Met {
  readonly rules: readonly CompiledRule[] | string;
  /** What the reason says of it; asked for when it allows something. */
  readonly source: () => string;
}

type Granting = Met & { readonly rules: readonly CompiledRule[] };

interface Candidate {
  /** Of objects with these names; undefined for all. */
  readonly names: ReadonlySet<string> | undefined;
  readonly decision: Decision;
}

type ResourceAttributes = Extract<Attributes, { isResource: true }>;

/** A client can make up any number of verbs and resources, and a role name any number of objects. */
const MAX_KEPT = 2_000;
/** An answer of more is found anew each time. */
const MAX_CANDIDATES = 32;

export class Rights {
  readonly #met: readonly Granting[];
  readonly #denied: Decision;
  /** verb -> resource -> group -> subresource */
  readonly #known = new Map<string, Map<string, Map<string, Map<string, readonly Candidate[]>>>>();
  #kept = 0;

  constructor(met: readonly Met[]) {
    this.#met = firstOfEach(met);
    const errors = met.map(({ rules }) => rules).filter((rules) => typeof rules === 'string');
    this.#denied = { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${aggregate(errors)}` };
  }

  decide(attributes: Attributes): Decision {
    if (!attributes.isResource) return this.#decidePath(attributes);
    for (const { names, decision } of this.#candidates(attributes)) {
      if (names === undefined || names.has(attributes.name)) return decision;
    }
    return this.#denied;
  }

  #decidePath(attributes: Attributes): Decision {
    for (const { rules, source } of this.#met) {
      if (rules.some((rule) => rule.allows(attributes))) return allowedBy(source());
    }
    return this.#denied;
  }

  #candidates(attributes: ResourceAttributes): readonly Candidate[] {
    const { verb, resource, group, subresource } = attributes;
    const known = this.#known.get(verb)?.get(resource)?.get(group)?.get(subresource);
    if (known !== undefined) return known;
    const found = this.#find(attributes);
    if (found.length > MAX_CANDIDATES) return found;
    if (this.#kept >= MAX_KEPT) {
      this.#known.clear();
      this.#kept = 0;
    }
    this.#kept += 1 + found.length;
    const byResource = below(this.#known, verb);
    below(below(byResource, resource), group).set(subresource, found);
    return found;
  }

  #find(attributes: ResourceAttributes): readonly Candidate[] {
    const found: Candidate[] = [];
    for (const { rules, source } of this.#met) {
      let decision: Decision | undefined;
      for (const rule of rules) {
        if (!rule.covers(attributes)) continue;
        const { names } = rule;
        decision ??= allowedBy(source());
        found.push({ names, decision });
        // Whatever comes behind it is never reached.
        if (names === undefined) return found;
      }
    }
    return found;
  }
}

/** Of bindings of one role the first: what it does not allow, the others do not. */
function firstOfEach(met: readonly Met[]): Granting[] {
  const known = new Set<Met['rules']>();
  return met.filter((one): one is Granting => {
    if (typeof one.rules === 'string' || known.has(one.rules)) return false;
    known.add(one.rules);
    return true;
  });
}

export function allowedBy(source: string): Decision {
  return { allowed: true, reason: `RBAC: allowed by ${source}` };
}

function below<K, K2, V>(map: Map<K, Map<K2, V>>, key: K): Map<K2, V> {
  const inner = map.get(key) ?? new Map<K2, V>();
  map.set(key, inner);
  return inner;
}
