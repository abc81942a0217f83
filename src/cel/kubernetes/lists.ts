/**
 * Functions of lists and texts that Kubernetes adds: `sum`, `min`, `find` and their like.
 * @see k8s.io/apiserver pkg/cel/library/lists.go, regex.go, jsonpatch.go at v0.36
 */
import { matchCost, sizeOf, textCost, traversalCost } from '../cost.ts';
import { declare, member, overload } from '../declare.ts';
import type { FunctionDeclaration, Library } from '../environment.ts';
import { compare, isEqual } from '../equality.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { compilePattern, type Pattern } from '../pattern.ts';
import { checkedInt, checkedUint } from '../std/arithmetic.ts';
import { durationOf } from '../time.ts';
import { BOOL, BYTES, DOUBLE, DURATION, INT, listOf, param, STRING, TIMESTAMP, type Type, UINT } from '../types.ts';
import { type Duration, ListValue, type Uint, type Value } from '../values.ts';

const A = param('A');
const COMPARABLE = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];

const walked = ([list]: readonly Value[]) => traversalCost(list);

function isSorted({ items }: ListValue): boolean {
  return items.every((item, index) => index === 0 || (compare(items[index - 1] as Value, item) ?? 0) <= 0);
}

function extreme(name: 'min' | 'max'): FunctionDeclaration {
  const wanted = name === 'min' ? 1 : -1;
  const pick = ({ items }: ListValue): Value => {
    const [first, ...rest] = items;
    if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
    return rest.reduce((best, item) => (Math.sign(compare(best, item) ?? 0) === wanted ? item : best), first);
  };
  const overloads = COMPARABLE.map((type) =>
    member(`list_${type.kind}_${name}_${type.kind}`, [listOf(type)], type, pick),
  );
  return declare(name, overloads, walked);
}

const sums: ReadonlyArray<readonly [Type, (items: readonly never[]) => Value]> = [
  [INT, (items: readonly bigint[]) => items.reduce((sum, item) => checkedInt(sum + item), 0n)],
  [UINT, (items: readonly Uint[]) => items.reduce((sum, item) => checkedUint(sum.value + item.value), checkedUint(0n))],
  [DOUBLE, (items: readonly number[]) => items.reduce((sum, item) => sum + item, 0)],
  [
    DURATION,
    (items: readonly Duration[]) => items.reduce((sum, item) => durationOf(sum.nanos + item.nanos), durationOf(0n)),
  ],
];

function pattern(text: string): Pattern {
  try {
    return compilePattern(text);
  } catch (error) {
    if (error instanceof EvaluationError) throw new EvaluationError(`Illegal regex: ${error.message}`);
    throw error;
  }
}

const findAll = (text: string, source: string, limit = -1n): Value =>
  new ListValue(pattern(source).findAll(text, Number(limit)));
const found = ([text, source]: readonly Value[]) => matchCost(text, sizeOf(source));
const LIST = listOf(A);

export const LIST_LIBRARY: Library = {
  functions: [
    declare(
      'isSorted',
      COMPARABLE.map((type) => member(`list_${type.kind}_is_sorted_bool`, [listOf(type)], BOOL, isSorted)),
      walked,
    ),
    declare(
      'sum',
      sums.map(([type, run]) =>
        member(`list_${type.kind}_sum_${type.kind}`, [listOf(type)], type, ({ items }: ListValue) =>
          run(items as never[]),
        ),
      ),
      walked,
    ),
    extreme('max'),
    extreme('min'),
    declare(
      'indexOf',
      [
        member('list_a_index_of_int', [LIST, A], INT, ({ items }: ListValue, item: Value) =>
          BigInt(items.findIndex((other) => isEqual(other, item))),
        ),
      ],
      walked,
    ),
    declare(
      'lastIndexOf',
      [
        member('list_a_last_index_of_int', [LIST, A], INT, ({ items }: ListValue, item: Value) =>
          BigInt(items.findLastIndex((other) => isEqual(other, item))),
        ),
      ],
      walked,
    ),
    declare(
      'find',
      [
        member(
          'string_find_string',
          [STRING, STRING],
          STRING,
          (text: string, source: string) => pattern(source).find(text) ?? '',
        ),
      ],
      found,
    ),
    declare(
      'findAll',
      [
        member('string_find_all_string', [STRING, STRING], listOf(STRING), findAll),
        member('string_find_all_string_int', [STRING, STRING, INT], listOf(STRING), findAll),
      ],
      found,
    ),
  ],
};

/** Only where policies patch objects. */
export const JSON_PATCH_LIBRARY: Library = {
  functions: [
    declare(
      'jsonpatch.escapeKey',
      [
        overload('string_jsonpatch_escapeKey_string', [STRING], STRING, (key: string) =>
          key.replaceAll('~', '~0').replaceAll('/', '~1'),
        ),
      ],
      ([key]) => textCost(key),
    ),
  ],
};
