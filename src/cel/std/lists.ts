/**
 * Functions of lists: version 3 of the lists extension, and sets.
 * @see github.com/google/cel-go ext/lists.go, ext/sets.go at v0.26
 */
import { LIST_COST, sizeOf } from '../cost.ts';
import { declare, member, overload, spending } from '../declare.ts';
import type { CallContext, FunctionDeclaration } from '../environment.ts';
import { compare, isEqual } from '../equality.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { runtimeType } from '../runtime-type.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  isExactly,
  listOf,
  param,
  STRING,
  TIMESTAMP,
  UINT,
} from '../types.ts';
import { ListValue, type Value } from '../values.ts';

const T = param('T');
const LIST = listOf(T);
const COMPARABLE = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

const making = (size: number, factor = 1) => Math.floor(size * factor) + 1 + LIST_COST;

function compareCost(list: Value | undefined): number {
  const size = sizeOf(list);
  const first = list instanceof ListValue ? list.items[0] : undefined;
  return making(size * size, typeof first === 'string' || first instanceof Uint8Array ? 2.1 : 2);
}

function slice({ items }: ListValue, start: bigint, end: bigint): Value {
  const range = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new EvaluationError(`${range}, negative indexes not supported`);
  if (start > end) throw new EvaluationError(`${range}, start index must be less than or equal to end index`);
  if (BigInt(items.length) < end) throw new EvaluationError(`${range}, list is length ${items.length}`);
  return new ListValue(items.slice(Number(start), Number(end)));
}

function flatten({ items }: ListValue, depth: bigint): Value {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  const flat = (list: readonly Value[], levels: bigint): Value[] =>
    list.flatMap((item) => (item instanceof ListValue && levels > 0n ? flat(item.items, levels - 1n) : [item]));
  return new ListValue(flat(items, depth));
}

function range([count]: readonly Value[], context: CallContext): Value {
  const length = count as bigint;
  // What it will be is paid for before it is made.
  context.spend(Number(length));
  return new ListValue(length <= 0n ? [] : Array.from({ length: Number(length) }, (_none, index) => BigInt(index)));
}

function sortBy(list: ListValue, keys: ListValue): Value {
  const [first] = keys.items;
  if (first === undefined) return list;
  const type = runtimeType(first);
  if (!COMPARABLE.some((known) => isExactly(known, type)))
    throw new EvaluationError('list elements must be comparable');
  if (keys.items.some((key) => !isExactly(runtimeType(key), type))) {
    throw new EvaluationError('list elements must have the same type');
  }
  const places = keys.items.map((_key, index) => index);
  places.sort((a, b) => compare(keys.items[a] as Value, keys.items[b] as Value) ?? 0);
  return new ListValue(places.map((place) => list.items[place] as Value));
}

function distinct([list]: readonly Value[], context: CallContext): Value {
  const { items } = list as ListValue;
  context.spend(compareCost(list));
  const unique: Value[] = [];
  for (const item of items) if (!unique.some((other) => isEqual(item, other))) unique.push(item);
  return new ListValue(unique);
}

const has = ({ items }: ListValue, item: Value) => items.some((other) => isEqual(item, other));
const contains = (a: ListValue, b: ListValue) => b.items.every((item) => has(a, item));

/** Every element of one list is compared with every one of the other. */
const product = ([a, b]: readonly Value[]) => sizeOf(a) * sizeOf(b) + 1;

export const LISTS: readonly FunctionDeclaration[] = [
  declare('slice', [member('list_slice', [LIST, INT, INT], LIST, slice)], (_args, result) => making(sizeOf(result))),
  declare(
    'flatten',
    [
      member('list_flatten', [listOf(LIST)], LIST, (list: ListValue) => flatten(list, 1n)),
      member('list_flatten_int', [listOf(DYN), INT], listOf(DYN), flatten),
    ],
    ([list], result) => making(Math.max(sizeOf(list), sizeOf(result))),
  ),
  declare(
    'sort',
    COMPARABLE.map((type) =>
      member(`list_${type.kind}_sort`, [listOf(type)], listOf(type), (list: ListValue) => sortBy(list, list)),
    ),
    ([list]) => compareCost(list),
  ),
  declare(
    '@sortByAssociatedKeys',
    COMPARABLE.map((type) => member(`list_${type.kind}_sortByAssociatedKeys`, [LIST, listOf(type)], LIST, sortBy)),
    ([, keys]) => compareCost(keys),
  ),
  declare(
    'lists.range',
    [
      spending(
        overload('lists_range', [INT], listOf(INT), () => null),
        range,
      ),
    ],
    () => 11,
  ),
  declare(
    'reverse',
    [member('list_reverse', [LIST], LIST, ({ items }: ListValue) => new ListValue(items.toReversed()))],
    (_args, result) => making(sizeOf(result)),
  ),
  declare(
    'distinct',
    [
      spending(
        member('list_distinct', [LIST], LIST, () => null),
        distinct,
      ),
    ],
    () => 1,
  ),
  declare('sets.contains', [overload('list_sets_contains_list', [LIST, LIST], BOOL, contains)], product),
  declare(
    'sets.equivalent',
    [
      overload(
        'list_sets_equivalent_list',
        [LIST, LIST],
        BOOL,
        (a: ListValue, b: ListValue) => contains(a, b) && contains(b, a),
      ),
    ],
    (args) => product(args) * 2,
  ),
  declare(
    'sets.intersects',
    [
      overload('list_sets_intersects_list', [LIST, LIST], BOOL, (a: ListValue, b: ListValue) =>
        b.items.some((item) => has(a, item)),
      ),
    ],
    product,
  ),
];
