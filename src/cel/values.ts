/**
 * Values of expressions while they run. Of JavaScript's own: `boolean` (bool), `bigint` (int), `number` (double),
 * `string`, `null`, `Uint8Array` (bytes); everything else is a class of this file or of a library.
 *
 * Objects of Kubernetes are not copied: a map or list over JSON turns into values what is asked for.
 */
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { Type } from './types.ts';

/** What can stand in an expression as a literal. */
export type Constant = boolean | bigint | number | string | null | Uint8Array | Uint;

export type Value = Constant | ListValue | MapValue | Instant | Duration | Optional | TypeValue | Opaque;

export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** `google.protobuf.Timestamp`, in nanoseconds since 1970. */
export class Instant {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const NONE = new Optional(undefined);

/** A type as a value: `type(x)`, `int`. */
export class TypeValue {
  readonly type: Type;

  constructor(type: Type) {
    this.type = type;
  }
}

/** A value of a library's own type, such as a quantity, and of structs. */
export abstract class Opaque {
  /** As in the checker. */
  abstract readonly typeName: string;
  /** A struct has fields; other types of libraries have functions only. */
  readonly isStruct: boolean = false;

  /** Cross-type comparison is not needed: `other` is of the same type. */
  equals(other: Opaque): boolean {
    return this === other;
  }

  /** A field of a struct; undefined when there is no such field. */
  field(_name: string): Value | undefined {
    return undefined;
  }

  /** `has(x.name)` */
  has(name: string): boolean {
    return this.field(name) !== undefined;
  }
}

export class ListValue {
  readonly items: Value[];
  /** While a fold collects into it: appending then makes no copy. */
  collecting = false;

  constructor(items: Value[]) {
    this.items = items;
  }
}

export type Key = string | bigint | boolean;

/** A map with keys of any kind. Numbers that are equal are one key, of whichever kind they are. */
export class MapValue {
  readonly #entries: Map<Key, readonly [Value, Value]>;
  collecting = false;

  constructor(entries: Map<Key, readonly [Value, Value]> = new Map()) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    const plain = keyOf(key);
    return plain === undefined ? undefined : this.#entries.get(plain)?.[1];
  }

  /** Only while it is being made. */
  set(key: Value, value: Value): void {
    const plain = keyOf(key);
    if (plain === undefined) throw new TypeError('unsupported key type');
    this.#entries.set(plain, [key, value]);
  }

  keys(): Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }
}

/** A JSON object as a map of texts. */
class JsonMap extends MapValue {
  readonly #object: JsonObject;
  readonly #known = new Map<string, Value>();

  constructor(object: JsonObject) {
    super();
    this.#object = object;
  }

  override get size(): number {
    return Object.keys(this.#object).length;
  }

  override get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#object, key)) return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = fromJson(this.#object[key] as JsonValue);
    this.#known.set(key, value);
    return value;
  }

  override keys(): Value[] {
    // Sorted, so that what an expression makes of them does not depend on who wrote the object.
    return Object.keys(this.#object).sort();
  }
}

/** What stands for a key in a map; undefined for what cannot be a key. */
function keyOf(key: Value): Key | undefined {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (key instanceof Uint) return key.value;
  if (typeof key === 'number' && Number.isInteger(key)) return BigInt(key);
  return undefined;
}

const INTEGER = /^-?\d+$/;

/** A number in JSON is an int when it is written as one, as the API server reads it. */
export function fromJson(json: JsonValue): Value {
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new ListValue(json.map(fromJson));
  if (!isObject(json)) return json as Value;
  const raw = rawNumber(json);
  if (raw !== undefined) return INTEGER.test(raw) ? BigInt(raw) : Number(raw);
  return new JsonMap(json);
}

/** The text of a number that JavaScript would have changed. */
function rawNumber(json: JsonObject): string | undefined {
  const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): boolean };
  return isRawJSON(json) ? String(json['rawJSON']) : undefined;
}
