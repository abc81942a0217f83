/**
 * Encoders of the messages whose JSON is not what their fields say; the other half of special.ts.
 *
 * Each writes the bare message and returns false when the value cannot be one of its type. Null is the Go zero value.
 *
 * @see k8s.io/apimachinery pkg/util/intstr/intstr.go, k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1/marshal.go
 *   at v0.36
 */
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { JsonSyntaxError, rawNumberText, stringifyJson } from '../json.ts';
import { textToDuration } from './duration.ts';
import { Wire } from './reader.ts';
import { writeScalar } from './scalar.ts';
import { type Field, Kind, type Message } from './schema.ts';
import { isZeroTime, textToTimestamp } from './time.ts';
import type { Writer } from './writer.ts';

/** What the special encoders need of the encoder that calls them. */
export interface EncodeContext {
  readonly writer: Writer;
  message(message: Message, object: JsonObject): void;
}

const FIELD_1_VARINT = (1 << 3) | Wire.varint;
const FIELD_2_VARINT = (2 << 3) | Wire.varint;
const FIELD_1_BYTES = (1 << 3) | Wire.bytes;
const FIELD_2_BYTES = (2 << 3) | Wire.bytes;
const FIELD_3_BYTES = (3 << 3) | Wire.bytes;

export function writeSpecial(context: EncodeContext, field: Field, value: JsonValue): boolean {
  switch (field.kind) {
    case Kind.quantity:
      return writeQuantity(context.writer, value);
    case Kind.time:
      return writeTime(context.writer, value, false);
    case Kind.microTime:
      return writeTime(context.writer, value, true);
    case Kind.duration:
      return writeDuration(context.writer, value);
    case Kind.intOrString:
      return writeIntOrString(context.writer, value);
    case Kind.rawExtension:
    case Kind.rawJson:
      return writeRaw(context.writer, value);
    case Kind.stringList:
      return writeStrings(context.writer, value, FIELD_1_BYTES);
    case Kind.schemaOrBool:
      return writeSchemaOrBool(context, field, value);
    case Kind.schemaOrArray:
      return writeSchemaOrArray(context, field, value);
    case Kind.schemaOrStringArray:
      return Array.isArray(value)
        ? writeStrings(context.writer, value, FIELD_2_BYTES)
        : writeSchema(context, field, value);
    default:
      return false;
  }
}

/** The text as it stands: an API server's answer is canonical already. */
function writeQuantity(writer: Writer, value: JsonValue): boolean {
  const text = typeof value === 'number' ? String(value) : (rawNumberText(value) ?? value ?? '0');
  if (typeof text !== 'string') {
    return false;
  }
  writer.string(text);
  writer.varint(FIELD_1_BYTES);
  return true;
}

function writeTime(writer: Writer, value: JsonValue, micro: boolean): boolean {
  if (value === null) {
    return true;
  }
  const time = typeof value === 'string' ? textToTimestamp(value) : undefined;
  if (time === undefined) {
    return false;
  }
  if (isZeroTime(time)) {
    return true;
  }
  writer.varint(micro ? time.nanos : 0);
  writer.varint(FIELD_2_VARINT);
  writer.integer(time.seconds);
  writer.varint(FIELD_1_VARINT);
  return true;
}

function writeDuration(writer: Writer, value: JsonValue): boolean {
  const nanos = value === null ? 0n : typeof value === 'string' ? textToDuration(value) : undefined;
  if (nanos === undefined) {
    return false;
  }
  writer.integer(nanos);
  writer.varint(FIELD_1_VARINT);
  return true;
}

function writeIntOrString(writer: Writer, value: JsonValue): boolean {
  const isText = typeof value === 'string';
  writer.string(isText ? value : '');
  writer.varint(FIELD_3_BYTES);
  if (writeScalar(writer, Kind.int32, isText ? 0 : value) === undefined) {
    return false;
  }
  writer.varint(FIELD_2_VARINT);
  writer.varint(isText ? 1 : 0);
  writer.varint(FIELD_1_VARINT);
  return true;
}

function writeRaw(writer: Writer, value: JsonValue): boolean {
  if (value === null) {
    return true;
  }
  try {
    writer.string(stringifyJson(value));
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      return false;
    }
    throw error;
  }
  writer.varint(FIELD_1_BYTES);
  return true;
}

function writeStrings(writer: Writer, value: JsonValue, tag: number): boolean {
  const list = value ?? [];
  if (!Array.isArray(list)) {
    return false;
  }
  for (let i = list.length - 1; i >= 0; i--) {
    if (writeScalar(writer, Kind.string, list[i] ?? null) === undefined) {
      return false;
    }
    writer.varint(tag);
  }
  return true;
}

function writeSchemaOrBool(context: EncodeContext, field: Field, value: JsonValue): boolean {
  const { writer } = context;
  if (isObject(value)) {
    const start = writer.length;
    context.message(field.message as Message, value);
    writer.close(FIELD_2_BYTES, start);
  }
  // A schema implies that additional values are allowed.
  if (writeScalar(writer, Kind.bool, isObject(value) ? true : value) === undefined) {
    return false;
  }
  writer.varint(FIELD_1_VARINT);
  return true;
}

function writeSchemaOrArray(context: EncodeContext, field: Field, value: JsonValue): boolean {
  if (!Array.isArray(value)) {
    return writeSchema(context, field, value);
  }
  for (let i = value.length - 1; i >= 0; i--) {
    const item = value[i] ?? {};
    if (!isObject(item)) {
      return false;
    }
    const start = context.writer.length;
    context.message(field.message as Message, item);
    context.writer.close(FIELD_2_BYTES, start);
  }
  return true;
}

function writeSchema(context: EncodeContext, field: Field, value: JsonValue): boolean {
  if (value === null) {
    return true;
  }
  if (!isObject(value)) {
    return false;
  }
  const start = context.writer.length;
  context.message(field.message as Message, value);
  context.writer.close(FIELD_1_BYTES, start);
  return true;
}
