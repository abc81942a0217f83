/**
 * JSON inside protobuf (RawExtension, FieldsV1, the JSON of a CRD schema) and numbers that a JavaScript number cannot
 * hold: read and written without losing a digit. Refuses text that is not JSON, not UTF-8, or nested too deep.
 *
 * @see k8s.io/apimachinery pkg/runtime/extension.go at v0.36
 */
import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../../k8s/types.ts';
import { ProtobufError } from './errors.ts';

/** Levels of arrays and objects. JSON.stringify recurses and must not meet the end of the stack. */
const MAX_JSON_DEPTH = 500;

/** What a number looks like that may not survive `String(Number(text))`: long, fractional, exponential, negative zero. */
const DELICATE_NUMBER = /\d{16}|\d[.eE]|-0/;

/** The part of `JSON` that the compiler's library does not declare yet. */
interface JsonWithSource {
  rawJSON(text: string): JsonValue;
  isRawJSON(value: unknown): boolean;
  parse(text: string, reviver: (key: string, value: JsonValue, context: { source?: string }) => JsonValue): JsonValue;
}

const json = JSON as unknown as JsonWithSource;

/** A number whose exact digits `JSON.stringify` will print, such as an int64 beyond 2^53. */
export function rawNumber(digits: string): JsonValue {
  return json.rawJSON(digits);
}

/** The exact text of a number made by `rawNumber`; undefined for any other value. */
export function rawNumberText(value: unknown): string | undefined {
  return json.isRawJSON(value) ? (value as { rawJSON: string }).rawJSON : undefined;
}

/**
 * Parses the UTF-8 JSON at `bytes`, keeping all digits of all numbers.
 *
 * @throws ProtobufError `malformed` or `too-deep`
 */
export function parseRawJson(bytes: Buffer): JsonValue {
  if (!isUtf8(bytes)) {
    throw new ProtobufError('malformed', 'embedded JSON is not valid UTF-8');
  }
  if (bytes.length > 2 * MAX_JSON_DEPTH) {
    checkDepth(bytes);
  }
  const text = bytes.toString('utf8');
  try {
    return DELICATE_NUMBER.test(text) ? json.parse(text, keepDigits) : (JSON.parse(text) as JsonValue);
  } catch (cause) {
    throw notJson(cause);
  }
}

function notJson(cause: unknown): ProtobufError {
  return new ProtobufError('malformed', 'embedded bytes are not valid JSON', { cause });
}

function keepDigits(_key: string, value: JsonValue, context: { source?: string }): JsonValue {
  if (typeof value !== 'number' || context.source === undefined || String(value) === context.source) {
    return value;
  }
  return json.rawJSON(context.source);
}

function checkDepth(bytes: Buffer): void {
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === 0x22) {
      i = endOfString(bytes, i);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) {
        throw new ProtobufError('too-deep', `embedded JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
      }
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
}

/** Index of the quote that ends the string which starts at `start`, or the end of the bytes. */
function endOfString(bytes: Buffer, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== 0x22) {
    i += bytes[i] === 0x5c ? 2 : 1;
  }
  return i;
}
