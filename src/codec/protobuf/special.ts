/**
 * Decoders of the messages whose JSON is not what their fields say: Quantity, Time, Duration, IntOrString, embedded JSON,
 * the "schema or ..." unions of CRDs and named lists of strings.
 *
 * Each reads one message up to `end` and returns its JSON. Refuses what Go cannot print either: an IntOrString of an
 * unknown type, embedded bytes that are neither JSON nor an enveloped object.
 *
 * @see k8s.io/apimachinery pkg/util/intstr/intstr.go, k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1/marshal.go
 *   at v0.36
 */
import type { JsonObject, JsonValue } from '../../k8s/types.ts';
import { durationToText } from './duration.ts';
import { parseRawJson } from './raw-json.ts';
import { type Reader, Wire } from './reader.ts';
import type { Message } from './schema.ts';
import { microTimeToText, timeToText } from './time.ts';

/** What the special decoders need of the decoder that calls them. */
export interface SpecialContext {
  readonly reader: Reader;
  /** Decodes an ordinary message up to `end`. */
  message(message: Message, end: number): JsonObject;
  /** Decodes an object with an envelope of its own inside a RawExtension. */
  envelope(bytes: Buffer): JsonObject;
  /** Skips a field that the type does not have, and counts it. */
  unknown(typeName: string, tag: number, end: number): void;
  /** Takes a value out of the budget of this body. */
  spend(): void;
}

const FIELD_1_VARINT = (1 << 3) | Wire.varint;
const FIELD_2_VARINT = (2 << 3) | Wire.varint;
const FIELD_1_BYTES = (1 << 3) | Wire.bytes;
const FIELD_2_BYTES = (2 << 3) | Wire.bytes;
const FIELD_3_BYTES = (3 << 3) | Wire.bytes;

/** `{1: text}`; absent or empty is "0". The text is passed on as it is: the API server canonicalises and validates. */
export function decodeQuantity(context: SpecialContext, end: number): string {
  const { reader } = context;
  let text = '';
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIELD_1_BYTES) {
      text = reader.string(reader.endOfBytes(end));
    } else {
      context.unknown('Quantity', tag, end);
    }
  }
  return text === '' ? '0' : text;
}

/** `{1: seconds, 2: nanos}`; an empty message is the zero time, null. Nanoseconds count only for MicroTime. */
export function decodeTime(context: SpecialContext, end: number, micro: boolean): string | null {
  const { reader } = context;
  if (reader.position === end) {
    return null;
  }
  let seconds: number | bigint = 0;
  let nanos = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIELD_1_VARINT) {
      seconds = reader.bigOrNumber();
    } else if (tag === FIELD_2_VARINT) {
      nanos = reader.int32();
    } else {
      context.unknown('Timestamp', tag, end);
    }
  }
  const text = micro ? microTimeToText(seconds, nanos) : timeToText(seconds);
  if (text === undefined) {
    throw reader.malformed(`a time of ${seconds} seconds is outside the years 0 to 9999`);
  }
  return text;
}

/** `{1: nanoseconds}` */
export function decodeDuration(context: SpecialContext, end: number): string {
  const { reader } = context;
  let nanos: number | bigint = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIELD_1_VARINT) nanos = reader.bigOrNumber();
    else context.unknown('Duration', tag, end);
  }
  return durationToText(BigInt(nanos));
}

/** `{1: type, 2: int, 3: string}`; type 0 is a number, 1 a string. */
export function decodeIntOrString(context: SpecialContext, end: number): number | string {
  const { reader } = context;
  let type = 0;
  let number = 0;
  let text = '';
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIELD_1_VARINT) {
      type = reader.int32();
    } else if (tag === FIELD_2_VARINT) {
      number = reader.int32();
    } else if (tag === FIELD_3_BYTES) {
      text = reader.string(reader.endOfBytes(end));
    } else {
      context.unknown('IntOrString', tag, end);
    }
  }
  if (type !== 0 && type !== 1) {
    throw reader.malformed(`IntOrString of type ${type}`);
  }
  return type === 1 ? text : number;
}

/** `{1: bytes}` holding JSON, or (RawExtension only) an enveloped protobuf object; absent is null. */
export function decodeRaw(context: SpecialContext, end: number, mayBeEnvelope: boolean): JsonValue {
  const { reader } = context;
  let bytes: Buffer | undefined;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIELD_1_BYTES) {
      bytes = reader.bytes(reader.endOfBytes(end));
    } else {
      context.unknown(mayBeEnvelope ? 'RawExtension' : 'JSON', tag, end);
    }
  }
  if (bytes === undefined || bytes.length === 0) {
    return null;
  }
  if (mayBeEnvelope && bytes[0] === 0x6b) {
    return context.envelope(bytes);
  }
  return parseRawJson(bytes);
}

/** `{1: allows, 2: schema}`; a schema wins. */
export function decodeSchemaOrBool(context: SpecialContext, schema: Message, end: number): JsonValue {
  const { reader } = context;
  let allows = false;
  let value: JsonObject | undefined;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIELD_1_VARINT) {
      allows = reader.bool();
    } else if (tag === FIELD_2_BYTES) {
      value = once(context, value, schema, end);
    } else {
      context.unknown('JSONSchemaPropsOrBool', tag, end);
    }
  }
  return value ?? allows;
}

/** `{1: schema, 2: schemas*}`; a list that is not empty wins. */
export function decodeSchemaOrArray(context: SpecialContext, schema: Message, end: number): JsonValue {
  const { reader } = context;
  const list: JsonValue[] = [];
  let value: JsonObject | undefined;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIELD_1_BYTES) {
      value = once(context, value, schema, end);
    } else if (tag === FIELD_2_BYTES) {
      list.push(context.message(schema, reader.endOfBytes(end)));
    } else {
      context.unknown('JSONSchemaPropsOrArray', tag, end);
    }
  }
  return list.length > 0 ? list : (value ?? null);
}

/** `{1: schema, 2: string*}`; a list that is not empty wins. */
export function decodeSchemaOrStringArray(context: SpecialContext, schema: Message, end: number): JsonValue {
  const { reader } = context;
  const list: JsonValue[] = [];
  let value: JsonObject | undefined;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIELD_1_BYTES) {
      value = once(context, value, schema, end);
    } else if (tag === FIELD_2_BYTES) {
      list.push(reader.string(reader.endOfBytes(end)));
    } else {
      context.unknown('JSONSchemaPropsOrStringArray', tag, end);
    }
  }
  return list.length > 0 ? list : (value ?? null);
}

/** `{1: string*}` of Verbs and ExtraValue: a list that may be present and empty. */
export function decodeStringList(context: SpecialContext, end: number): string[] {
  const { reader } = context;
  const list: string[] = [];
  context.spend();
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIELD_1_BYTES) {
      list.push(reader.string(reader.endOfBytes(end)));
    } else {
      context.unknown('list of strings', tag, end);
    }
  }
  return list;
}

/** Go would merge a second occurrence into the first; no encoder writes one, so it is refused instead of guessed at. */
function once(context: SpecialContext, earlier: JsonObject | undefined, schema: Message, end: number): JsonObject {
  if (earlier !== undefined) {
    throw context.reader.malformed('a schema occurs twice in one union');
  }
  return context.message(schema, context.reader.endOfBytes(end));
}
