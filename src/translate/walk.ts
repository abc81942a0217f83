/**
 * One walk over one object or patch: follows the tree of references and maps what it finds, in place.
 *
 * Going up, a place is mapped after what is below it; going down, before: what a special did on the way up is the first
 * thing that is undone.
 */

import { ApiError, invalid } from '../errors.ts';
import type { FieldFault } from '../k8s/field-problems.ts';
import { metadataOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { KindAtVersion, Target } from '../kinds/kind.ts';
import type { Scope } from './scope.ts';
import type { Node } from './tree.ts';

/**
 * - whole: a complete object, or an apply patch, which is one as far as it goes
 * - merge: a merge patch: null takes away
 * - strategic: a strategic merge patch: the same, and directives (`$patch`, `$setElementOrder/...`)
 */
export type Shape = 'whole' | 'merge' | 'strategic';

/**
 * A patch whose effect in upstream terms depends on the object it meets. The caller reads, applies the patch in tenant
 * terms (`apply.ts`) and writes; one that does not is answered with this refusal.
 */
export class NeedsLiveObject extends ApiError {
  constructor(why: string) {
    super('ERR_INVALID', `this patch cannot be applied here (${why}): send the whole object with PUT instead`, {
      why: 'patch-needs-object',
    });
    this.name = 'NeedsLiveObject';
  }
}

/** Maps the value of one target in one direction. */
export type Mapper = (value: JsonValue, target: Target, walk: Walk) => JsonValue;

export class Walk {
  readonly up: boolean;
  readonly at: KindAtVersion;
  readonly scope: Scope;
  readonly shape: Shape;
  readonly root: JsonObject;
  /** Hidden annotations of the object: taken out on the way down, to be put in on the way up. */
  readonly marks = new Map<string, string>();
  /** Names that this walk has mapped down: upstream text to the tenant's. */
  readonly seen: Map<string, string>;
  /**
   * The name that a refusal is about, in the tenant's terms: as the object says it before anything is mapped, or as the
   * URL does, where the object does not.
   */
  named: string;
  readonly #map: Mapper;
  readonly #path: string[] = [];

  constructor(
    up: boolean,
    root: JsonObject,
    at: KindAtVersion,
    scope: Scope,
    shape: Shape,
    map: Mapper,
    seen?: Map<string, string>,
  ) {
    this.seen = seen ?? new Map();
    this.up = up;
    this.root = root;
    const { name } = metadataOf(root);
    this.named = typeof name === 'string' ? name : '';
    this.at = at;
    this.scope = scope;
    this.shape = shape;
    this.#map = map;
  }

  /** `spec.rules[0].host`: where the walk is now. */
  get path(): string {
    return this.#path.join('').replace(/^\./, '');
  }

  /** @throws {ApiError} ERR_INVALID about the field that the walk is at */
  refuse(fault: FieldFault, below = ''): never {
    const { group, kind } = this.at.kind;
    throw invalid({ group, what: kind, name: this.named }, [fault(`${this.path}${below}`)]);
  }

  /** @throws {NeedsLiveObject} in a patch, where the value here cannot be mapped without the object */
  needsLive(why: string): never {
    throw new NeedsLiveObject(`${this.path}: ${why}`);
  }

  /** Maps everything at and below a node. Returns the new value; objects and arrays are changed in place. */
  value(value: JsonValue, node: Node): JsonValue {
    const { target } = node;
    // A patch that takes a value away is a special's to judge: it may be kept elsewhere.
    if (value === null)
      return this.up && this.shape !== 'whole' && target?.is === 'special' ? this.#map(null, target, this) : null;
    if (target === undefined) return this.#below(value, node);
    if (this.up) return this.#map(this.#below(value, node), target, this);
    return this.#below(this.#map(value, target, this), node);
  }

  /** Maps one value as a target, below the place where the walk is. */
  step(step: string, value: JsonValue, node: Node): JsonValue {
    this.#path.push(step);
    const mapped = this.value(value, node);
    this.#path.pop();
    return mapped;
  }

  #below(value: JsonValue, node: Node): JsonValue {
    if (Array.isArray(value)) {
      const { items } = node;
      if (items === undefined) return value;
      for (let at = 0; at < value.length; at++) value[at] = this.step(`[${at}]`, value[at] ?? null, items);
      return value;
    }
    if (!isObject(value)) return value;
    for (const [field, below] of node.fields) {
      const made = this.up && this.shape === 'whole' && below.always === true && (value[field] ?? null) === null;
      if (made) value[field] = this.step(`.${field}`, below.target === undefined ? {} : [], below);
      else if (Object.hasOwn(value, field)) value[field] = this.step(`.${field}`, value[field] ?? null, below);
      // Made on the way up of nothing.
      if (!this.up && below.always === true && value[field] === '') delete value[field];
      if (this.shape === 'strategic' && below.items !== undefined) this.#directives(value, field, below);
    }
    if (node.values !== undefined) {
      for (const key of Object.keys(value)) value[key] = this.step(`[${key}]`, value[key] ?? null, node.values);
    }
    return node.keys === undefined ? value : this.#keys(value, node.keys);
  }

  /** `$setElementOrder/<list>` and `$deleteFromPrimitiveList/<list>` hold items, or parts of items, of the list. */
  #directives(value: JsonObject, field: string, below: Node): void {
    for (const directive of [`$setElementOrder/${field}`, `$deleteFromPrimitiveList/${field}`]) {
      if (Object.hasOwn(value, directive))
        value[directive] = this.step(`.${directive}`, value[directive] ?? null, below);
    }
  }

  #keys(value: JsonObject, target: Target): JsonObject {
    const entries = Object.entries(value).map(([key, entry]): [string, JsonValue] => {
      if (this.shape === 'strategic' && key.startsWith('$')) return [key, entry];
      this.#path.push(`[${key}]`);
      const mapped = this.#map(key, target, this);
      this.#path.pop();
      return [typeof mapped === 'string' ? mapped : key, entry];
    });
    return Object.fromEntries(entries);
  }
}
