/** Functions of optionals, and what puts entries into the maps of `transformMap`. */
import { declare, member, overload, spending } from '../declare.ts';
import type { FunctionDeclaration } from '../environment.ts';
import { isEqual } from '../equality.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { textOf } from '../text.ts';
import { BOOL, listOf, mapOf, optionalOf, param } from '../types.ts';
import { Duration, ListValue, MapValue, NONE, Optional, Uint, type Value } from '../values.ts';

const V = param('V');
const K = param('K');
const MAP = mapOf(K, V);
const OPTIONAL = optionalOf(V);

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === '') return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof ListValue) return value.items.length === 0;
  if (value instanceof MapValue) return value.size === 0;
  if (value instanceof Optional) return value.value === undefined || isZero(value.value);
  return value instanceof Duration && isEqual(value, new Duration(0n));
}

function dereference({ value }: Optional): Value {
  if (value === undefined) throw new EvaluationError('optional.none() dereference');
  return value;
}

function unwrapAll(list: ListValue): Value {
  const items = list.items.map((item) => {
    if (!(item instanceof Optional)) throw new EvaluationError(`value ${textOf(item)} is not optional`);
    return item.value;
  });
  return new ListValue(items.filter((item) => item !== undefined));
}

function insert(map: MapValue, key: Value, value: Value): Value {
  if (map.get(key) !== undefined) throw new EvaluationError(`insert failed: key ${textOf(key)} already exists`);
  if (map.collecting) {
    map.set(key, value);
    return map;
  }
  const copy = new MapValue();
  for (const known of map.keys()) copy.set(known, map.get(known) as Value);
  copy.set(key, value);
  return copy;
}

export const OPTIONALS: readonly FunctionDeclaration[] = [
  declare('optional.of', [overload('optional_of', [V], OPTIONAL, (value: Value) => new Optional(value))]),
  declare('optional.ofNonZeroValue', [
    overload('optional_ofNonZeroValue', [V], OPTIONAL, (value: Value) => (isZero(value) ? NONE : new Optional(value))),
  ]),
  declare('optional.none', [overload('optional_none', [], OPTIONAL, () => NONE)]),
  declare('value', [member('optional_value', [OPTIONAL], V, dereference)]),
  declare('hasValue', [member('optional_hasValue', [OPTIONAL], BOOL, ({ value }: Optional) => value !== undefined)]),
  // These two are run by the planner, which leaves out what is not needed.
  declare('or', [
    member('optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL, (a: Optional, b: Optional) =>
      a.value === undefined ? b : a,
    ),
  ]),
  declare('orValue', [
    member('optional_orValue_value', [OPTIONAL, V], V, ({ value }: Optional, other: Value) =>
      value === undefined ? other : value,
    ),
  ]),
  declare('last', [
    member('list_last', [listOf(V)], OPTIONAL, ({ items }: ListValue) =>
      items.length === 0 ? NONE : new Optional(items.at(-1)),
    ),
  ]),
  declare('first', [
    member('list_first', [listOf(V)], OPTIONAL, ({ items }: ListValue) =>
      items.length === 0 ? NONE : new Optional(items[0]),
    ),
  ]),
  declare('optional.unwrap', [overload('optional_unwrap', [listOf(OPTIONAL)], listOf(V), unwrapAll)]),
  declare('unwrapOpt', [member('optional_unwrapOpt', [listOf(OPTIONAL)], listOf(V), unwrapAll)]),
  declare('cel.@mapInsert', [
    spending(
      overload('@mapInsert_map_key_value', [MAP, K, V], MAP, () => null),
      ([map, key, value], context) => {
        if (!(map as MapValue).collecting) context.spend((map as MapValue).size);
        return insert(map as MapValue, key as Value, value as Value);
      },
    ),
    spending(
      overload('@mapInsert_map_map', [MAP, MAP], MAP, () => null),
      ([map, more], context) => {
        const given = more as MapValue;
        context.spend(given.size);
        return given
          .keys()
          .reduce<Value>((into, key) => insert(into as MapValue, key, given.get(key) as Value), map as Value);
      },
    ),
  ]),
];
