/**
 * Writes the JSON values of plain fields: text, base64, booleans, numbers. Null is the zero value.
 *
 * Returns the wire type, or undefined, with nothing written, when the value cannot be a value of the kind.
 */
import type { JsonValue } from '../../k8s/types.ts';
import { rawNumberText } from '../json.ts';
import { Wire } from './reader.ts';
import { type FieldKind, Kind } from './schema.ts';
import type { Writer } from './writer.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const INTEGER = /^-?\d+$/;

export function writeScalar(writer: Writer, kind: FieldKind, value: JsonValue): number | undefined {
  switch (kind) {
    case Kind.string:
      return writeText(writer, value);
    case Kind.bytes:
      return writeBase64(writer, value);
    case Kind.bool:
      if (typeof value !== 'boolean' && value !== null) {
        return undefined;
      }
      writer.varint(value === true ? 1 : 0);
      return Wire.varint;
    case Kind.double:
      return writeDouble(writer, value);
    default:
      return writeInteger(writer, value, kind === Kind.int32 ? 32 : 64);
  }
}

function writeText(writer: Writer, value: JsonValue): number | undefined {
  if (typeof value !== 'string' && value !== null) {
    return undefined;
  }
  writer.string(value ?? '');
  return Wire.bytes;
}

function writeBase64(writer: Writer, value: JsonValue): number | undefined {
  const text = value ?? '';
  if (typeof text !== 'string' || text.length % 4 !== 0 || !BASE64.test(text)) {
    return undefined;
  }
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  writer.base64(text, (text.length / 4) * 3 - padding);
  return Wire.bytes;
}

function writeDouble(writer: Writer, value: JsonValue): number | undefined {
  const exact = rawNumberText(value);
  const number = exact === undefined ? (value ?? 0) : Number(exact);
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return undefined;
  }
  writer.double(number);
  return Wire.fixed64;
}

function writeInteger(writer: Writer, value: JsonValue, bits: 32 | 64): number | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    if (bits === 32 && (value | 0) !== value) {
      return undefined;
    }
    writer.integer(value);
    return Wire.varint;
  }
  if (value === null) {
    writer.varint(0);
    return Wire.varint;
  }
  const text = rawNumberText(value) ?? (typeof value === 'number' ? String(value) : '');
  if (!INTEGER.test(text)) {
    return undefined;
  }
  const big = BigInt(text);
  if (BigInt.asIntN(bits, big) !== big) {
    return undefined;
  }
  writer.integer(big);
  return Wire.varint;
}
