/**
 * Equality and order of values, across the kinds of numbers too.
 * @see github.com/google/cel-go common/types (Equal, Compare) at v0.26
 */
import { EvaluationError, noSuchOverload } from './evaluation-error.ts';
import { isExactly } from './types.ts';
import { Duration, Instant, ListValue, MapValue, Opaque, Optional, TypeValue, Uint, type Value } from './values.ts';

/** Values of different types are not equal; that is no error. */
export function isEqual(a: Value, b: Value): boolean {
  if (typeof a !== 'object' && typeof a === typeof b) return a === b;
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (a instanceof ListValue) return b instanceof ListValue && sameItems(a, b);
  if (a instanceof MapValue) return b instanceof MapValue && sameEntries(a, b);
  if (a instanceof Instant) return b instanceof Instant && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Optional) return b instanceof Optional && sameOptional(a, b);
  if (a instanceof TypeValue) return b instanceof TypeValue && isExactly(bare(a), bare(b));
  if (a instanceof Opaque) return b instanceof Opaque && a.typeName === b.typeName && a.equals(b);
  return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
}

/** @returns less than 0, 0, or more; undefined where NaN is one of them @throws {EvaluationError} for what has no order */
export function compare(a: Value, b: Value): number | undefined {
  if (isNumber(a) && isNumber(b)) {
    const order = compareNumbers(a, b);
    if (order === undefined) throw new EvaluationError('NaN values cannot be ordered');
    return order;
  }
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Instant && b instanceof Instant) return sign(a.nanos - b.nanos);
  if (a instanceof Duration && b instanceof Duration) return sign(a.nanos - b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  throw noSuchOverload();
}

type Numeric = bigint | number | Uint;

function isNumber(value: Value): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

/** An integer beside a double counts as the double nearest to it, as cel-go has it. */
function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  if (typeof left === 'bigint' && typeof right === 'bigint') return sign(left - right);
  const [x, y] = [Number(left), Number(right)];
  if (x < y) return -1;
  if (x > y) return 1;
  return x === y ? 0 : undefined;
}

function sameItems({ items: a }: ListValue, { items: b }: ListValue): boolean {
  return a.length === b.length && a.every((item, index) => isEqual(item, b[index] as Value));
}

function sameEntries(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    const other = b.get(key);
    return other !== undefined && isEqual(a.get(key) as Value, other);
  });
}

function sameOptional(a: Optional, b: Optional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return isEqual(a.value, b.value);
}

/** As values, `list(int)` and `list(string)` are the same type. */
function bare({ type }: TypeValue): TypeValue['type'] {
  return { ...type, params: [] };
}

function sign(difference: bigint): number {
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
