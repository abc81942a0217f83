/**
 * Fields and indexes of values: `a.b`, `a[b]`, `has(a.b)`, and the optional forms of them.
 * @see github.com/google/cel-go interpreter/attributes.go (refQualify) at v0.26
 */
import { EvaluationError, noSuchKey, noSuchOverload } from './evaluation-error.ts';
import { textOf } from './text.ts';
import { ListValue, MapValue, NONE, Opaque, Optional, Uint, type Value } from './values.ts';

/** @throws {EvaluationError} when there is no such field or element */
export function access(operand: Value, key: Value): Value {
  if (operand instanceof Optional) return accessOptional(operand, key);
  const found = find(operand, key);
  if (found !== undefined) return found;
  if (operand instanceof ListValue) throw new EvaluationError(`index out of bounds: ${textOf(key)}`);
  throw noSuchKey(textOf(key));
}

/** The same as an optional: none when it is not there. */
export function accessOptional(operand: Value, key: Value): Optional {
  const inner = operand instanceof Optional ? operand.value : operand;
  if (inner === undefined) return NONE;
  const found = find(inner, key);
  return found === undefined ? NONE : new Optional(found);
}

/** `has(operand.field)` */
export function hasField(operand: Value, field: string): boolean {
  const inner = operand instanceof Optional ? operand.value : operand;
  if (inner instanceof MapValue) return inner.get(field) !== undefined;
  return inner instanceof Opaque && inner.has(field);
}

function find(operand: Value, key: Value): Value | undefined {
  if (operand instanceof MapValue) return operand.get(key);
  if (operand instanceof ListValue) return operand.items[indexOf(key)];
  if (operand instanceof Opaque && operand.isStruct && typeof key === 'string') return operand.field(key);
  return undefined;
}

function indexOf(key: Value): number {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof Uint) return Number(key.value);
  if (typeof key === 'number') {
    if (!Number.isInteger(key)) throw new EvaluationError(`unsupported index value ${key} in list`);
    return key;
  }
  throw typeof key === 'string' ? new EvaluationError("unsupported index type 'string' in list") : noSuchOverload();
}
