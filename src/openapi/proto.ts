/**
 * OpenAPI documents as protobuf, by the messages of a version as data. Members that the schema does not know are left out,
 * as the API server's own encoder does.
 *
 * @see k8s.io/kube-openapi pkg/handler/handler.go (ToProtoBinary) and pkg/handler3/handler.go (ToV3ProtoBinary)
 */
import { Writer } from '../codec/protobuf/writer.ts';
import { writeYaml } from '../codec/yaml-write.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

/**
 * How a value is written. `any` is free JSON; a message by name; `[]` or `list` means a list; `map` is an object whose
 * keys are names.
 */
export type FieldType<Name extends string> =
  | 'string'
  | 'bool'
  | 'int'
  | 'double'
  | 'any'
  | 'string[]'
  | 'any[]'
  | { readonly message: Name; readonly list?: boolean }
  /** A message that does nothing but hold the map. */
  | { readonly map: Name | 'string[]' };

export interface Message<Name extends string> {
  /** By the name in JSON. */
  readonly fields: Readonly<Record<string, readonly [number: number, type: FieldType<Name>]>>;
  /** Field that holds the `x-` members. */
  readonly extensions?: number;
  /** Field and type of every other member: its name is data. */
  readonly others?: readonly [number: number, type: Name];
}

/** A field of a message that only says which of several others it holds. */
export interface Chosen<Name extends string> {
  readonly field: number;
  readonly type: FieldType<Name>;
  readonly value: JsonValue;
  /** Of a choice, zero is written too. */
  readonly always?: true;
}

export interface Schema<Name extends string> {
  readonly messages: Readonly<Partial<Record<Name, Message<Name>>>>;
  /** Undefined for a message that is written field by field. */
  chosen(name: Name, value: JsonValue): Chosen<Name>[] | undefined;
}

/** A document, or any other message of a version. */
export function encodeMessage<Name extends string>(schema: Schema<Name>, name: Name, value: JsonObject): Uint8Array {
  const writer = new Writer();
  new Encoder(schema, writer).message(name, value);
  return writer.take();
}

/** Wire types. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

const STRINGS = 'string[]';

type One<Name extends string> = Exclude<FieldType<Name>, 'string[]' | 'any[]' | { readonly map: unknown }>;

/** The writer goes from the end to the front, so everything here is written last first. */
class Encoder<Name extends string> {
  readonly #schema: Schema<Name>;
  readonly #writer: Writer;

  constructor(schema: Schema<Name>, writer: Writer) {
    this.#schema = schema;
    this.#writer = writer;
  }

  message(name: Name, value: JsonValue): void {
    const choice = this.#schema.chosen(name, value);
    if (choice !== undefined) {
      for (const one of [...choice].reverse()) this.#field(one.field, one.type, one.value, one.always);
      return;
    }
    const message = this.#schema.messages[name];
    if (message === undefined || !isObject(value)) return;
    const known = new Map(Object.entries(value).filter(([key]) => Object.hasOwn(message.fields, key)));
    const rest = Object.entries(value).filter(([key]) => !known.has(key));
    for (const part of [...this.#partsOf(message, known, rest)].sort((a, b) => b.field - a.field)) part.write();
  }

  *#partsOf(
    { fields, extensions, others }: Message<Name>,
    known: ReadonlyMap<string, JsonValue>,
    rest: ReadonlyArray<readonly [string, JsonValue]>,
  ): Iterable<{ readonly field: number; write(): void }> {
    for (const [key, value] of known) {
      const [field, type] = fields[key] as readonly [number, FieldType<Name>];
      yield { field, write: () => this.#field(field, type, value) };
    }
    // Sorting is stable, so members of one field must come last first as well.
    for (const [key, value] of [...rest].reverse()) {
      if (key.startsWith('x-')) {
        if (extensions !== undefined) {
          yield { field: extensions, write: () => this.#named(extensions, key, 'any', value) };
        }
      } else if (others !== undefined) {
        const [field, message] = others;
        yield { field, write: () => this.#named(field, key, { message }, value) };
      }
    }
  }

  #field(field: number, type: FieldType<Name>, value: JsonValue, always = false): void {
    if (value === null) return;
    if (type === 'string[]' || type === 'any[]') {
      const of = type === 'string[]' ? 'string' : 'any';
      for (const item of (Array.isArray(value) ? [...value] : []).reverse()) this.#one(field, of, item);
    } else if (typeof type === 'object' && 'list' in type) {
      for (const item of (Array.isArray(value) ? [...value] : []).reverse()) {
        this.#one(field, { message: type.message }, item);
      }
    } else if (typeof type === 'object' && 'map' in type) this.#maps(field, type.map, value);
    else if (always || isMessage(type) || !isDefault(value)) this.#one(field, type, value);
  }

  #one(field: number, type: One<Name>, value: JsonValue): void {
    const writer = this.#writer;
    const before = writer.length;
    if (type === 'string') {
      writer.string(String(value));
      writer.varint((field << 3) | BYTES);
    } else if (type === 'bool' || type === 'int') {
      writer.integer(Number(value));
      writer.varint((field << 3) | VARINT);
    } else if (type === 'double') {
      writer.double(Number(value));
      writer.varint((field << 3) | FIXED64);
    } else {
      // Free JSON travels as YAML text.
      if (type === 'any') this.#one(2, 'string', writeYaml(value, Object.keys));
      else this.message(type.message, value);
      writer.close((field << 3) | BYTES, before);
    }
  }

  /** A name and a value, as one entry of a map. */
  #named(field: number, name: string, type: FieldType<Name>, value: JsonValue): void {
    const writer = this.#writer;
    const before = writer.length;
    if (type === 'string[]') {
      const list = writer.length;
      this.#field(1, 'string[]', value);
      writer.close((2 << 3) | BYTES, list);
    } else this.#one(2, type as One<Name>, value);
    this.#one(1, 'string', name);
    writer.close((field << 3) | BYTES, before);
  }

  /** An object of names, or a list of such objects, each in a message of its own. */
  #maps(field: number, type: Name | typeof STRINGS, value: JsonValue): void {
    for (const map of [value].flat().reverse()) {
      if (!isObject(map)) continue;
      const before = this.#writer.length;
      for (const [name, item] of Object.entries(map).reverse()) {
        this.#named(1, name, type === STRINGS ? STRINGS : { message: type as Name }, item);
      }
      this.#writer.close((field << 3) | BYTES, before);
    }
  }
}

function isMessage(type: unknown): boolean {
  return typeof type === 'object' || type === 'any';
}

/** Proto3 writes no zeros. */
function isDefault(value: JsonValue): boolean {
  return value === false || value === 0 || value === '';
}
