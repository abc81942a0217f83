/** From values back to JSON: what a mutation writes, what claims give. */
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { EvaluationError } from './evaluation-error.ts';
import { StructValue } from './kubernetes/patch-types.ts';
import { runtimeType } from './runtime-type.ts';
import { formatDuration, formatInstant } from './time.ts';
import { nameOfType } from './types.ts';
import { Duration, Instant, ListValue, MapValue, Optional, Uint, type Value } from './values.ts';

/** @throws {EvaluationError} for what JSON has no form for, and for maps with keys that are no texts */
export function toJson(value: Value): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return integer(value);
  if (typeof value === 'number') return finite(value);
  if (value instanceof Uint) return integer(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof ListValue) return value.items.map(toJson);
  if (value instanceof MapValue) return objectOf(value.keys().map((key) => [key, value.get(key) as Value]));
  if (value instanceof StructValue) return objectOf([...value.fields]);
  if (value instanceof Instant) return formatInstant(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Optional && value.value !== undefined) return toJson(value.value);
  throw new EvaluationError(`cannot convert ${nameOfType(runtimeType(value))} to JSON`);
}

function objectOf(entries: ReadonlyArray<readonly [Value, Value]>): JsonObject {
  const pairs = entries.map(([key, value]) => {
    if (typeof key !== 'string') throw new EvaluationError('map key is not a string');
    return [key, toJson(value)] as const;
  });
  return Object.fromEntries(pairs);
}

/** With every digit, where JavaScript would round it. */
function integer(value: bigint): JsonValue {
  if (Number.isSafeInteger(Number(value))) return Number(value);
  return (JSON as unknown as { rawJSON(text: string): JsonValue }).rawJSON(String(value));
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new EvaluationError(`cannot convert ${value} to JSON`);
  return value;
}
