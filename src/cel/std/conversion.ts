/**
 * Conversions between types, sizes, and types as values.
 * @see github.com/google/cel-go common/stdlib/standard.go, common/types at v0.26
 */
import { codePoints } from '../code-points.ts';
import { textCost } from '../cost.ts';
import { both, declare, overload } from '../declare.ts';
import type { FunctionDeclaration } from '../environment.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { runtimeType } from '../runtime-type.ts';
import { formatDouble } from '../text.ts';
import { durationOf, formatDuration, formatInstant, instantOf, parseDuration, parseInstant } from '../time.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  param,
  STRING,
  TIMESTAMP,
  type Type,
  typeOf,
  UINT,
} from '../types.ts';
import {
  type Duration,
  type Instant,
  type ListValue,
  type MapValue,
  TypeValue,
  type Uint,
  type Value,
} from '../values.ts';
import { checkedInt, checkedUint } from './arithmetic.ts';

const A = param('A');
const SECOND = 1_000_000_000n;
/** More than any number of 64 bits has, leading zeros allowed. */
const MAX_DIGITS = 1_000;
const INTEGER = /^[+-]?\d+$/;
const DOUBLE_TEXT = /^[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)$/;
const BOOLS = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

const unconvertible = (from: string, to: string) =>
  new EvaluationError(`type conversion error from '${from}' to '${to}'`);

function intOfDouble(value: number): bigint {
  // 2^63 is a double, and one more than the largest int.
  if (Number.isNaN(value) || value >= 2 ** 63 || value <= -(2 ** 63)) throw new EvaluationError('integer overflow');
  return BigInt(Math.trunc(value));
}

function uintOfDouble(value: number): Uint {
  if (Number.isNaN(value) || value < 0 || value >= 2 ** 64) throw new EvaluationError('unsigned integer overflow');
  return checkedUint(BigInt(Math.trunc(value)));
}

function intOfText(text: string): bigint {
  if (text.length > MAX_DIGITS || !INTEGER.test(text)) throw unconvertible('string', 'int');
  const value = BigInt(text.replace(/^\+/, ''));
  if (value > 2n ** 63n - 1n || value < -(2n ** 63n)) throw unconvertible('string', 'int');
  return value;
}

function uintOfText(text: string): Uint {
  if (text.length > MAX_DIGITS || !/^\d+$/.test(text) || BigInt(text) >= 2n ** 64n)
    throw unconvertible('string', 'uint');
  return checkedUint(BigInt(text));
}

function doubleOfText(text: string): number {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  if (!DOUBLE_TEXT.test(text)) throw unconvertible('string', 'double');
  return Number(text);
}

function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const same = (id: string, type: Type) => overload(id, [type], type, (value: Value) => value);
const SIZED: ReadonlyArray<readonly [string, Type, (value: never) => number]> = [
  ['size_bytes', BYTES, (value: Uint8Array) => value.length],
  ['size_list', listOf(A), (value: ListValue) => value.items.length],
  ['size_map', mapOf(A, param('B')), (value: MapValue) => value.size],
  ['size_string', STRING, (value: string) => codePoints(value)],
];

export const CONVERSION: readonly FunctionDeclaration[] = [
  declare(
    'size',
    SIZED.flatMap(([id, type, size]) => both(id, [type], INT, (value) => BigInt(size(value as never)))),
  ),
  declare('type', [overload('type', [A], typeOf(A), (value: Value) => new TypeValue(runtimeType(value)))]),
  declare('dyn', [overload('to_dyn', [A], DYN, (value: Value) => value)]),
  declare('bool', [
    same('bool_to_bool', BOOL),
    overload('string_to_bool', [STRING], BOOL, (text: string) => {
      const value = BOOLS.get(text);
      if (value === undefined) throw unconvertible('string', 'bool');
      return value;
    }),
  ]),
  declare(
    'bytes',
    [same('bytes_to_bytes', BYTES), overload('string_to_bytes', [STRING], BYTES, (text: string) => Buffer.from(text))],
    ([value]) => textCost(value),
  ),
  declare('double', [
    same('double_to_double', DOUBLE),
    overload('int64_to_double', [INT], DOUBLE, (value: bigint) => Number(value)),
    overload('string_to_double', [STRING], DOUBLE, doubleOfText),
    overload('uint64_to_double', [UINT], DOUBLE, (value: Uint) => Number(value.value)),
  ]),
  declare('duration', [
    same('duration_to_duration', DURATION),
    overload('int64_to_duration', [INT], DURATION, (seconds: bigint) => durationOf(seconds)),
    overload('string_to_duration', [STRING], DURATION, (text: string) => {
      const value = parseDuration(text);
      if (value === undefined) throw unconvertible('string', 'google.protobuf.Duration');
      return value;
    }),
  ]),
  declare('int', [
    same('int64_to_int64', INT),
    overload('double_to_int64', [DOUBLE], INT, intOfDouble),
    overload('duration_to_int64', [DURATION], INT, (value: Duration) => value.nanos),
    overload('string_to_int64', [STRING], INT, intOfText),
    overload('timestamp_to_int64', [TIMESTAMP], INT, ({ nanos }: Instant) =>
      nanos >= 0n ? nanos / SECOND : -((-nanos + SECOND - 1n) / SECOND),
    ),
    overload('uint64_to_int64', [UINT], INT, (value: Uint) => checkedInt(value.value)),
  ]),
  declare(
    'string',
    [
      same('string_to_string', STRING),
      overload('bool_to_string', [BOOL], STRING, String),
      overload('bytes_to_string', [BYTES], STRING, textOfBytes),
      overload('double_to_string', [DOUBLE], STRING, formatDouble),
      overload('duration_to_string', [DURATION], STRING, formatDuration),
      overload('int64_to_string', [INT], STRING, String),
      overload('timestamp_to_string', [TIMESTAMP], STRING, formatInstant),
      overload('uint64_to_string', [UINT], STRING, (value: Uint) => String(value.value)),
    ],
    ([value], _result, id) => (id === 'bytes_to_string' ? textCost(value) : 1),
  ),
  declare('timestamp', [
    same('timestamp_to_timestamp', TIMESTAMP),
    overload('int64_to_timestamp', [INT], TIMESTAMP, (seconds: bigint) => instantOf(seconds * SECOND)),
    overload('string_to_timestamp', [STRING], TIMESTAMP, (text: string) => {
      const value = parseInstant(text);
      if (value === undefined) throw unconvertible('string', 'google.protobuf.Timestamp');
      return value;
    }),
  ]),
  declare('uint', [
    same('uint64_to_uint64', UINT),
    overload('double_to_uint64', [DOUBLE], UINT, uintOfDouble),
    overload('int64_to_uint64', [INT], UINT, checkedUint),
    overload('string_to_uint64', [STRING], UINT, uintOfText),
  ]),
];
