/**
 * Encodes the JSON of one object into the protobuf bytes that a Go API server would send for it.
 *
 * Byte for byte: every field that is not behind a pointer is written even when it is zero, in the order of the numbers,
 * maps by the bytes of their keys. Keys the schema does not have are counted and named, for the caller to refuse; a value
 * of another type than the field's is an error.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { rawNumberText } from '../json.ts';
import { ProtobufError } from './errors.ts';
import { Wire } from './reader.ts';
import { writeScalar } from './scalar.ts';
import { type Field, Kind, type Message } from './schema.ts';
import { writeSpecial } from './special-encode.ts';
import { Writer } from './writer.ts';

const MAX_DEPTH = 100;

export class Encoder {
  readonly writer: Writer;
  /** Keys that no field has, as `api/core/v1.PodSpec.fancyNew`. */
  readonly unknownKeys: string[] = [];
  #depth = 0;

  constructor(writer: Writer) {
    this.writer = writer;
  }

  /**
   * Writes the bare message of `object`.
   *
   * @throws ProtobufError `invalid-value` or `too-deep`
   */
  message(message: Message, object: JsonObject): void {
    if (++this.#depth > MAX_DEPTH) {
      throw new ProtobufError('too-deep', `object is nested deeper than ${MAX_DEPTH} messages`);
    }
    const known = this.#fields(message, object);
    if (Object.keys(object).length > known) {
      this.#nameUnknown(message, object);
    }
    this.#depth--;
  }

  /** Returns how many keys of the object belong to fields, so that the rare unknown key costs one comparison. */
  #fields(message: Message, object: JsonObject): number {
    const { writer } = this;
    let known = 0;
    for (let i = message.fields.length - 1; i >= 0; i--) {
      const field = message.fields[i] as Field;
      if (field.inline) {
        const start = writer.length;
        known += this.#fields(field.message as Message, object);
        writer.close((field.number << 3) | Wire.bytes, start);
        continue;
      }
      const value = object[field.name];
      if (value !== undefined) {
        known++;
      }
      if (field.repeated) {
        this.#repeated(message, field, value ?? []);
      } else if (field.map) {
        this.#map(message, field, value ?? {});
      } else if ((value !== undefined && value !== null) || !isNilable(field)) {
        this.#value(message, field, value ?? null, field.number);
      }
    }
    return known;
  }

  #repeated(message: Message, field: Field, list: JsonValue): void {
    if (!Array.isArray(list)) {
      throw invalid(message, field, 'an array');
    }
    for (let i = list.length - 1; i >= 0; i--) {
      this.#value(message, field, list[i] ?? null, field.number);
    }
  }

  #map(message: Message, field: Field, map: JsonValue): void {
    if (!isObject(map) || rawNumberText(map) !== undefined) {
      throw invalid(message, field, 'an object');
    }
    const keys = Object.keys(map).sort();
    if (keys.some(hasSurrogate)) {
      // JavaScript sorts by UTF-16, which differs from the order of the bytes beyond the basic plane.
      keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] as string;
      const start = this.writer.length;
      const value = map[key] ?? null;
      if (value !== null || field.kind !== Kind.bytes) {
        this.#value(message, field, value, 2);
      }
      this.writer.string(key);
      this.writer.varint((1 << 3) | Wire.bytes);
      this.writer.close((field.number << 3) | Wire.bytes, start);
    }
  }

  /** One value with its tag; null is the zero value of the kind. */
  #value(message: Message, field: Field, value: JsonValue, number: number): void {
    if (field.kind < Kind.message) {
      const wire = writeScalar(this.writer, field.kind, value);
      if (wire === undefined) {
        throw invalid(message, field, SCALAR_WORDS[field.kind] ?? 'a scalar');
      }
      this.writer.varint((number << 3) | wire);
      return;
    }
    const start = this.writer.length;
    if (field.kind !== Kind.message) {
      if (!writeSpecial(this, field, value)) {
        throw invalid(message, field, 'a value of its type');
      }
    } else if (value === null) {
      this.writer.raw(zeroBytes(field.message as Message));
    } else if (isObject(value)) {
      this.message(field.message as Message, value);
    } else {
      throw invalid(message, field, 'an object');
    }
    this.writer.close((number << 3) | Wire.bytes, start);
  }

  #nameUnknown(message: Message, object: JsonObject): void {
    for (const key of Object.keys(object)) {
      const isTypeMeta = message.typeMeta && (key === 'kind' || key === 'apiVersion');
      if (!isTypeMeta && !hasField(message, key)) {
        this.unknownKeys.push(`${message.name}.${key}`);
      }
    }
  }
}

const SCALAR_WORDS = ['a string', 'base64 text', 'a boolean', 'a 32-bit integer', 'a 64-bit integer', 'a number'];

const zeroMessages = new Map<Message, Buffer>();

/** The bytes of a message none of whose fields is set; they are not empty, and the same every time. */
function zeroBytes(message: Message): Buffer {
  let bytes = zeroMessages.get(message);
  if (bytes === undefined) {
    const encoder = new Encoder(new Writer(256));
    encoder.message(message, {});
    bytes = encoder.writer.take();
    zeroMessages.set(message, bytes);
  }
  return bytes;
}

/** A Go pointer or slice: nil is not written. */
function isNilable(field: Field): boolean {
  return field.pointer || field.kind === Kind.bytes || field.kind === Kind.stringList;
}

function hasField(message: Message, key: string): boolean {
  return message.fields.some((field) => (field.inline ? hasField(field.message as Message, key) : field.name === key));
}

function hasSurrogate(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}

function invalid(message: Message, field: Field, wanted: string): ProtobufError {
  return new ProtobufError(
    'invalid-value',
    `${message.name}.${field.name} must be ${wanted} to be encoded as protobuf`,
  );
}
