/**
 * Arithmetic, with the overflow checks of 64-bit integers.
 * @see github.com/google/cel-go common/stdlib/standard.go, common/types/overflow.go at v0.26
 */
import { textCost } from '../cost.ts';
import { declare, overload, type Run, spending } from '../declare.ts';
import type { FunctionDeclaration, Overload } from '../environment.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { durationOf, instantOf } from '../time.ts';
import { BYTES, DOUBLE, DURATION, INT, listOf, param, STRING, TIMESTAMP, type Type, UINT } from '../types.ts';
import { type Duration, type Instant, ListValue, Uint } from '../values.ts';

const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/** @throws {EvaluationError} */
export function checkedInt(value: bigint): bigint {
  if (value > INT_MAX || value < -INT_MAX - 1n) throw new EvaluationError('integer overflow');
  return value;
}

/** @throws {EvaluationError} */
export function checkedUint(value: bigint): Uint {
  if (value > UINT_MAX || value < 0n) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

type IntOperation = (a: bigint, b: bigint) => bigint;

const ints = (name: string, run: IntOperation): Overload =>
  overload(`${name}_int64`, [INT, INT], INT, (a: bigint, b: bigint) => checkedInt(run(a, b)));
const uints = (name: string, run: IntOperation): Overload =>
  overload(`${name}_uint64`, [UINT, UINT], UINT, (a: Uint, b: Uint) => checkedUint(run(a.value, b.value)));
const doubles = (name: string, run: (a: number, b: number) => number): Overload =>
  overload(`${name}_double`, [DOUBLE, DOUBLE], DOUBLE, run);

const byNonZero =
  (run: IntOperation, complaint: string): IntOperation =>
  (a, b) => {
    if (b === 0n) throw new EvaluationError(complaint);
    return run(a, b);
  };

const divide = byNonZero((a, b) => a / b, 'division by zero');
const modulo = byNonZero((a, b) => a % b, 'modulus by zero');

const LIST = listOf(param('A'));
/** Of the elements that a joined list copies: cel-go shares them, JavaScript cannot. */
const COPY_COST = 0.5;

const joinLists = spending(
  overload('add_list', [LIST, LIST], LIST, () => null),
  ([left, right], context) => {
    const [a, b] = [left, right] as [ListValue, ListValue];
    if (a.collecting) {
      a.items.push(...b.items);
      return a;
    }
    context.spend((a.items.length + b.items.length) * COPY_COST);
    return new ListValue([...a.items, ...b.items]);
  },
);

/** Of durations alone; what does not fit is told as for integers. */
function sumOf(nanos: bigint): Duration {
  if (BigInt.asIntN(64, nanos) !== nanos) throw new EvaluationError('integer overflow');
  return durationOf(nanos);
}

const time = (id: string, args: readonly Type[], result: Type, run: Run): Overload => overload(id, args, result, run);

export const ARITHMETIC: readonly FunctionDeclaration[] = [
  declare(
    '_+_',
    [
      overload('add_bytes', [BYTES, BYTES], BYTES, (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b])),
      doubles('add', (a, b) => a + b),
      time('add_duration_duration', [DURATION, DURATION], DURATION, (a: Duration, b: Duration) =>
        sumOf(a.nanos + b.nanos),
      ),
      time('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP, (a: Duration, b: Instant) =>
        instantOf(a.nanos + b.nanos),
      ),
      time('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a: Instant, b: Duration) =>
        instantOf(a.nanos + b.nanos),
      ),
      ints('add', (a, b) => a + b),
      joinLists,
      overload('add_string', [STRING, STRING], STRING, (a: string, b: string) => a + b),
      uints('add', (a, b) => a + b),
    ],
    ([a, b], _result, id) => (id === 'add_string' || id === 'add_bytes' ? Math.ceil(textCost(a) + textCost(b)) : 1),
  ),
  declare('_-_', [
    doubles('subtract', (a, b) => a - b),
    time('subtract_duration_duration', [DURATION, DURATION], DURATION, (a: Duration, b: Duration) =>
      sumOf(a.nanos - b.nanos),
    ),
    ints('subtract', (a, b) => a - b),
    time('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a: Instant, b: Duration) =>
      instantOf(a.nanos - b.nanos),
    ),
    time('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION, (a: Instant, b: Instant) =>
      durationOf(a.nanos - b.nanos),
    ),
    uints('subtract', (a, b) => a - b),
  ]),
  declare('_*_', [
    doubles('multiply', (a, b) => a * b),
    ints('multiply', (a, b) => a * b),
    uints('multiply', (a, b) => a * b),
  ]),
  declare('_/_', [doubles('divide', (a, b) => a / b), ints('divide', divide), uints('divide', divide)]),
  declare('_%_', [ints('modulo', modulo), uints('modulo', modulo)]),
  declare('-_', [
    overload('negate_double', [DOUBLE], DOUBLE, (a: number) => -a),
    overload('negate_int64', [INT], INT, (a: bigint) => checkedInt(-a)),
  ]),
];
