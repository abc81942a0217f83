/**
 * Decodes one protobuf message into the JSON that a Go API server would show for it.
 *
 * Fields the schema does not have are skipped, counted and named, for the caller to refuse. Depth is capped, and the
 * number of objects is bounded by the size of the body: two bytes of protobuf can stand for a deep default object.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
import type { JsonObject, JsonValue } from '../../k8s/types.ts';
import type { DecodeState } from './decode-state.ts';
import { fillDefaults, isLeftOut, mapZeroValue } from './defaults.ts';
import type { ProtobufError } from './errors.ts';
import { Reader, Wire } from './reader.ts';
import { type Field, Kind, type Message } from './schema.ts';
import {
  decodeDuration,
  decodeIntOrString,
  decodeQuantity,
  decodeRaw,
  decodeSchemaOrArray,
  decodeSchemaOrBool,
  decodeSchemaOrStringArray,
  decodeStringList,
  decodeTime,
  type SpecialContext,
} from './special.ts';

/** Decodes the object of a nested envelope; given by the envelope's module, which knows the kinds. */
export type DecodeEnvelope = (bytes: Buffer, state: DecodeState) => JsonObject;

/**
 * Decodes `bytes`, one whole message, into `into`.
 *
 * @throws ProtobufError
 */
export function decodeMessage(
  message: Message,
  bytes: Uint8Array,
  into: JsonObject,
  state: DecodeState,
  decodeEnvelope: DecodeEnvelope,
): void {
  new Decoder(bytes, state, decodeEnvelope).fields(message, into, bytes.length, false);
}

class Decoder implements SpecialContext {
  readonly reader: Reader;
  readonly #state: DecodeState;
  readonly #decodeEnvelope: DecodeEnvelope;

  constructor(bytes: Uint8Array, state: DecodeState, decodeEnvelope: DecodeEnvelope) {
    this.reader = new Reader(bytes);
    this.#state = state;
    this.#decodeEnvelope = decodeEnvelope;
  }

  /** Reads fields up to `end` into `into`. `merging`: `into` may already hold an earlier occurrence. */
  fields(message: Message, into: JsonObject, end: number, merging: boolean): void {
    const { reader } = this;
    this.#state.enter();
    this.spend();
    // Encoders write fields in order; only where the number does not rise can a field be there already.
    let last = 0;
    while (reader.position < end) {
      const tag = reader.tag();
      const number = tag >>> 3;
      const field = message.byNumber[number];
      if (field === undefined) {
        this.unknown(message.name, tag, end);
        continue;
      }
      const again = merging || number <= last;
      last = number;
      if (field.repeated) {
        this.#repeated(field, tag & 7, into, end);
      } else if (field.map) {
        this.#mapEntry(field, tag & 7, into, end);
      } else {
        this.#single(field, tag & 7, into, end, again);
      }
      if (reader.position > end) {
        throw reader.malformed(`${message.name}.${field.name} reaches beyond the end of its message`);
      }
    }
    fillDefaults(message, into, this.#state);
    this.#state.leave();
  }

  message(message: Message, end: number): JsonObject {
    const value: JsonObject = {};
    this.fields(message, value, end, false);
    return value;
  }

  envelope(bytes: Buffer): JsonObject {
    this.#state.enter();
    const value = this.#decodeEnvelope(bytes, this.#state);
    this.#state.leave();
    return value;
  }

  unknown(typeName: string, tag: number, end: number): void {
    this.#state.unknown(typeName, tag >>> 3);
    this.reader.skip(tag & 7, end);
  }

  spend(): void {
    this.#state.spend();
  }

  #single(field: Field, wire: number, into: JsonObject, end: number, again: boolean): void {
    const { reader } = this;
    const earlier = again && !field.inline ? into[field.name] : undefined;
    if (field.kind === Kind.message) {
      const valueEnd = this.#start(field, wire, end);
      if (field.inline) {
        this.fields(field.message as Message, into, valueEnd, again);
      } else if (typeof earlier === 'object' && earlier !== null) {
        this.fields(field.message as Message, earlier as JsonObject, valueEnd, true);
      } else {
        into[field.name] = this.message(field.message as Message, valueEnd);
      }
      return;
    }
    if (earlier !== undefined && earlier !== null && field.kind > Kind.message) {
      throw reader.malformed(`${field.name} occurs twice`);
    }
    const value = this.#value(field, wire, end);
    if (isLeftOut(field, value)) {
      if (earlier !== undefined) {
        delete into[field.name];
      }
      return;
    }
    into[field.name] = value;
  }

  #repeated(field: Field, wire: number, into: JsonObject, end: number): void {
    const { reader } = this;
    let list = into[field.name] as JsonValue[] | null | undefined;
    if (list === undefined || list === null) {
      list = [];
      into[field.name] = list;
      this.spend();
    }
    if (wire !== Wire.bytes || !isPackable(field)) {
      list.push(this.#value(field, wire, end));
      return;
    }
    const packedEnd = reader.endOfBytes(end);
    const elementWire = field.kind === Kind.double ? Wire.fixed64 : Wire.varint;
    while (reader.position < packedEnd) {
      list.push(this.#value(field, elementWire, packedEnd));
    }
    if (reader.position > packedEnd) {
      throw reader.malformed(`a packed number of ${field.name} is truncated`);
    }
  }

  #mapEntry(field: Field, wire: number, into: JsonObject, end: number): void {
    const { reader } = this;
    let map = into[field.name] as JsonObject | null | undefined;
    if (map === undefined || map === null) {
      map = {};
      into[field.name] = map;
      this.spend();
    }
    if (wire !== Wire.bytes) {
      throw this.#wrongWire(field, wire);
    }
    const entryEnd = reader.endOfBytes(end);
    let key = '';
    let value: JsonValue | undefined;
    while (reader.position < entryEnd) {
      const tag = reader.tag();
      if (tag === ((1 << 3) | Wire.bytes)) {
        key = reader.string(reader.endOfBytes(entryEnd));
      } else if (tag >>> 3 === 2) {
        value = this.#value(field, tag & 7, entryEnd);
      } else {
        this.unknown(`map entry of ${field.name}`, tag, entryEnd);
      }
    }
    if (reader.position > entryEnd) {
      throw reader.malformed(`a map entry of ${field.name} is truncated`);
    }
    setKey(map, key, value ?? mapZeroValue(field, this.#state));
  }

  /** One value of the field's kind; for a map, of its values. */
  #value(field: Field, wire: number, end: number): JsonValue {
    const { reader } = this;
    switch (field.kind) {
      case Kind.bool:
        this.#expect(field, wire, Wire.varint);
        return reader.bool();
      case Kind.int32:
        this.#expect(field, wire, Wire.varint);
        return reader.int32();
      case Kind.int64:
        this.#expect(field, wire, Wire.varint);
        return reader.int64();
      case Kind.double:
        this.#expect(field, wire, Wire.fixed64);
        return reader.double();
      default: {
        const valueEnd = this.#start(field, wire, end);
        const value = this.#delimited(field, valueEnd);
        if (reader.position !== valueEnd) {
          throw reader.malformed(`${field.name} is truncated`);
        }
        return value;
      }
    }
  }

  #delimited(field: Field, end: number): JsonValue {
    switch (field.kind) {
      case Kind.string:
        return this.reader.string(end);
      case Kind.bytes:
        return this.reader.base64(end);
      case Kind.message:
        return this.message(field.message as Message, end);
      case Kind.quantity:
        return decodeQuantity(this, end);
      case Kind.time:
        return decodeTime(this, end, false);
      case Kind.microTime:
        return decodeTime(this, end, true);
      case Kind.duration:
        return decodeDuration(this, end);
      case Kind.intOrString:
        return decodeIntOrString(this, end);
      case Kind.rawExtension:
        return decodeRaw(this, end, true);
      case Kind.rawJson:
        return decodeRaw(this, end, false);
      case Kind.schemaOrBool:
        return decodeSchemaOrBool(this, field.message as Message, end);
      case Kind.schemaOrArray:
        return decodeSchemaOrArray(this, field.message as Message, end);
      case Kind.schemaOrStringArray:
        return decodeSchemaOrStringArray(this, field.message as Message, end);
      case Kind.stringList:
        return decodeStringList(this, end);
      default:
        throw new Error(`${field.name}: kind ${field.kind} is not length-delimited`);
    }
  }

  #start(field: Field, wire: number, end: number): number {
    this.#expect(field, wire, Wire.bytes);
    return this.reader.endOfBytes(end);
  }

  #expect(field: Field, wire: number, expected: number): void {
    if (wire !== expected) {
      throw this.#wrongWire(field, wire);
    }
  }

  #wrongWire(field: Field, wire: number): ProtobufError {
    return this.reader.malformed(`wire type ${wire} for field ${field.name}`);
  }
}

function isPackable(field: Field): boolean {
  return field.kind >= Kind.bool && field.kind <= Kind.double;
}

/** A map key is the client's text: `__proto__` must become an ordinary key. */
function setKey(map: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    map[key] = value;
  }
}
