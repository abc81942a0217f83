/** Equality, order, membership, indexes and the logic that is not special to the planner. */
import { access, accessOptional } from '../access.ts';
import { sizeOf, textCost } from '../cost.ts';
import { declare, overload } from '../declare.ts';
import type { FunctionDeclaration } from '../environment.ts';
import { compare, isEqual } from '../equality.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  optionalOf,
  param,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../types.ts';
import { ListValue, MapValue, Opaque, type Value } from '../values.ts';

const A = param('A');
const B = param('B');
const LIST = listOf(A);
const MAP = mapOf(A, B);

const NUMBERS = [INT, UINT, DOUBLE];
/** Types that have an order; numbers among each other too. */
const ORDERED: ReadonlyArray<readonly [Type, Type]> = [
  [BOOL, BOOL],
  ...NUMBERS.flatMap((left) => NUMBERS.map((right) => [left, right] as const)),
  [STRING, STRING],
  [BYTES, BYTES],
  [TIMESTAMP, TIMESTAMP],
  [DURATION, DURATION],
];

function order(name: string, word: string, holds: (order: number) => boolean): FunctionDeclaration {
  const overloads = ORDERED.map(([left, right]) =>
    overload(`${word}_${left.kind}_${right.kind}`, [left, right], BOOL, (a: Value, b: Value) => {
      const between = compare(a, b);
      return between !== undefined && holds(between);
    }),
  );
  return declare(name, overloads, ([a, b]) => (typeof a === 'string' ? Math.min(textCost(a), textCost(b)) : 1));
}

/** The smaller of two sizes is read; a value of a library's own counts as one. */
function equalityCost([a, b]: readonly Value[]): number {
  if (a instanceof Opaque && !a.isStruct) return 1;
  return Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * 0.1);
}

export const COMPARISON: readonly FunctionDeclaration[] = [
  declare('_==_', [overload('equals', [A, A], BOOL, isEqual)], equalityCost),
  declare('_!=_', [overload('not_equals', [A, A], BOOL, (a: Value, b: Value) => !isEqual(a, b))], equalityCost),
  order('_<_', 'less', (between) => between < 0),
  order('_<=_', 'less_equals', (between) => between <= 0),
  order('_>_', 'greater', (between) => between > 0),
  order('_>=_', 'greater_equals', (between) => between >= 0),
  declare('!_', [overload('logical_not', [BOOL], BOOL, (a: boolean) => !a)]),
  declare('@not_strictly_false', [overload('not_strictly_false', [BOOL], BOOL, (a: boolean) => a)]),
  declare('_&&_', [overload('logical_and', [BOOL, BOOL], BOOL, (a: boolean, b: boolean) => a && b)]),
  declare('_||_', [overload('logical_or', [BOOL, BOOL], BOOL, (a: boolean, b: boolean) => a || b)]),
  declare('_?_:_', [
    overload('conditional', [BOOL, A, A], A, (when: boolean, yes: Value, no: Value) => (when ? yes : no)),
  ]),
  declare('_[_]', [
    overload('index_list', [LIST, INT], A, access),
    overload('index_map', [MAP, A], B, access),
    overload('optional_list_index_int', [optionalOf(LIST), INT], optionalOf(A), accessOptional),
    overload('optional_map_index_value', [optionalOf(MAP), A], optionalOf(B), accessOptional),
  ]),
  declare('_[?_]', [
    overload('list_optindex_optional_int', [LIST, INT], optionalOf(A), accessOptional),
    overload('optional_list_optindex_optional_int', [optionalOf(LIST), INT], optionalOf(A), accessOptional),
    overload('map_optindex_optional_value', [MAP, A], optionalOf(B), accessOptional),
    overload('optional_map_optindex_optional_value', [optionalOf(MAP), A], optionalOf(B), accessOptional),
  ]),
  declare('_?._', [overload('select_optional_field', [DYN, STRING], optionalOf(A), accessOptional)]),
  declare(
    '@in',
    [
      overload('in_list', [A, LIST], BOOL, (item: Value, list: Value) =>
        list instanceof ListValue ? list.items.some((other) => isEqual(item, other)) : false,
      ),
      overload('in_map', [A, MAP], BOOL, (key: Value, map: Value) =>
        map instanceof MapValue ? map.get(key) !== undefined : false,
      ),
    ],
    ([, container], _result, id) => (id === 'in_list' ? sizeOf(container) : 1),
  ),
];
