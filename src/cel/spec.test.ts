/**
 * CEL's own conformance tests, as far as they are of the language that Kubernetes speaks: no messages of protobuf, no
 * extensions that Kubernetes does not switch on. What each should give was made with cel-go.
 */
import type { IncrementalTest, IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { getConformanceSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { expect, it } from 'vitest';
import { compile, environmentWith, InvalidExpression } from './compile.ts';
import { isEqual } from './equality.ts';
import { EvaluationError } from './evaluation-error.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from './types.ts';
import { ListValue, MapValue, TypeValue, Uint, type Value } from './values.ts';

/** Suites of things that Kubernetes has not. */
const ELSEWHERE = /block|encoders|bindings|dynamic|enums|math|namespace|network|proto|unknowns|wrappers/;
/** Names that only protobuf gives a meaning. */
const PROTOBUF = /TestAllTypes|google\.protobuf|testdata|GlobalEnum/;

/**
 * Where cel-go as Kubernetes sets it up answers otherwise: version 2 of the strings extension writes numbers and
 * what is in lists differently and knows no bounds of the place to search from; the older macros of the suite.
 */
const OTHERWISE = new Set([
  "{'null_key': dyn(null)}.?null_key.invalid.hasValue()",
  '{true: dyn(0)}[?true].absent.hasValue()',
  "{?'nested_map': optional.ofNonZeroValue({?'map': {}.?c}), 'singleton': true}",
  '"%e".format([double("Infinity")])',
  '"%e".format([double("-Infinity")])',
  '"%f".format([double("Infinity")])',
  '"%f".format([double("-Infinity")])',
  '"%d".format([double("NaN")])',
  '"%d".format([double("Infinity")])',
  '"%d".format([double("-Infinity")])',
  '"%s".format([[double("NaN"), double("Infinity"), double("-Infinity")]])',
  '"%.6e".format([1052.032911275])',
  '"%e".format([2.71828])',
  '"%e".format([dyn(2.71828)])',
  '"%e".format([double("NaN")])',
  'str_var.format([1052.032911275])',
  '"%s".format([["abc", 3.14, null, [9, 8, 7, 6], timestamp("2023-02-03T23:31:20Z")]])',
  '"%s".format([{"key1": b"xyz", "key5": null, "key2": duration("2h"), "key4": true, "key3": 2.71828}])',
  '"%s".format([{1: "value1", uint(2): "value2", true: double("NaN")}])',
  '"%s".format([dyn([6, 4.2, "a string"])])',
  '"%s".format([{"strKey":"x", 6:duration("422s"), true:42}])',
  "'tacocat'.indexOf('a', 30) == -1",
  "'tacocat'.lastIndexOf('a', 30) == -1",
  '{true:1,false:2,true:3}[true]',
  '([].map(x,x))[0].foo',
]);

interface Case {
  readonly expression: string;
  readonly variables: Readonly<Record<string, Type>>;
  readonly values: Readonly<Record<string, Value>>;
  readonly test: IncrementalTest;
}

/** Thrown for what has no counterpart here. */
class NotOurs extends Error {}

function toValue(value: unknown): Value {
  const { kind } = value as { kind: { case: string; value: never } };
  const held: unknown = kind.value;
  switch (kind.case) {
    case 'nullValue':
      return null;
    case 'uint64Value':
      return new Uint(held as bigint);
    case 'boolValue':
    case 'stringValue':
    case 'doubleValue':
    case 'bytesValue':
    case 'int64Value':
      return held as Value;
    case 'listValue':
      return new ListValue((held as { values: unknown[] }).values.map(toValue));
    case 'mapValue': {
      const map = new MapValue();
      for (const { key, value: item } of (held as { entries: { key: unknown; value: unknown }[] }).entries) {
        map.set(toValue(key), toValue(item));
      }
      return map;
    }
    default:
      throw new NotOurs();
  }
}

function toType(type: unknown): Type {
  const { typeKind } = type as { typeKind: { case: string; value: never } };
  const held = typeKind.value as { elemType: unknown; keyType: unknown; valueType: unknown };
  switch (typeKind.case) {
    case 'dyn':
      return DYN;
    case 'null':
      return NULL;
    case 'primitive':
      return [DYN, BOOL, INT, UINT, DOUBLE, STRING, BYTES][Number(held)] as Type;
    case 'listType':
      return listOf(toType(held.elemType));
    case 'mapType':
      return mapOf(toType(held.keyType), toType(held.valueType));
    case 'wellKnown':
      return [DYN, DYN, TIMESTAMP, DURATION][Number(held)] as Type;
    default:
      throw new NotOurs();
  }
}

function* testsIn(suite: IncrementalTestSuite): Generator<IncrementalTest> {
  yield* suite.tests;
  for (const inner of suite.suites) yield* testsIn(inner);
}

function caseOf(test: IncrementalTest): Case | undefined {
  const { expr, container, disableCheck, typeEnv, bindings, resultMatcher } = test.original;
  if (container !== '' || disableCheck || PROTOBUF.test(expr) || OTHERWISE.has(expr)) return undefined;
  try {
    const variables = typeEnv.map(({ name, declKind }) => {
      if (declKind.case !== 'ident') throw new NotOurs();
      return [name, toType(declKind.value.type)] as const;
    });
    const values = Object.entries(bindings).map(([name, bound]) => [name, toValue(bound.kind.value)] as const);
    if (resultMatcher.case === 'value') expected(resultMatcher.value);
    return {
      expression: expr,
      variables: Object.fromEntries(variables),
      values: Object.fromEntries(values),
      test,
    };
  } catch (error) {
    if (error instanceof NotOurs) return undefined;
    throw error;
  }
}

/** A value, or a name where only the type is looked at. */
function expected(value: unknown): { value: Value } | { name: string } {
  const { kind } = value as { kind: { case: string; value: unknown } };
  if (kind.case === 'typeValue') return { name: String(kind.value) };
  return { value: toValue(value) };
}

function answer({ expression, variables, values }: Case): { value: Value } | { error: Error } {
  try {
    const program = compile(expression, environmentWith({ variables }));
    return { value: program.run((name) => values[name], { cost: 1_000_000, ms: 10_000 }).value };
  } catch (error) {
    if (error instanceof InvalidExpression || error instanceof EvaluationError) return { error };
    throw error;
  }
}

/** Kubernetes takes lists and maps of one type of elements only, which the suite does not. */
function isMixed(given: ReturnType<typeof answer>): boolean {
  return 'error' in given && /: expected type '.*' but found '/.test(given.error.message);
}

const suites = getConformanceSuite().suites.filter(({ name }) => !ELSEWHERE.test(name));

it.each(suites.map((suite) => [suite.name, suite] as const))('%s', (_name, suite) => {
  const cases = [...testsIn(suite)].map(caseOf).filter((one) => one !== undefined);
  expect(cases.length).toBeGreaterThan(0);
  const wrong: string[] = [];
  for (const one of cases) {
    const { resultMatcher } = one.test.original;
    const given = answer(one);
    if (resultMatcher.case === 'evalError') {
      if (!('error' in given)) wrong.push(`${one.expression} should fail`);
    } else if ('error' in given) {
      if (!isMixed(given)) wrong.push(`${one.expression}: ${given.error.message}`);
    } else if (!agrees(resultMatcher, given.value)) {
      wrong.push(`${one.expression} is ${String(given.value)}`);
    }
  }
  expect(wrong).toEqual([]);
});

function agrees({ case: kind, value: wanted }: { case?: string | undefined; value?: unknown }, given: Value): boolean {
  const result = kind === 'typedResult' ? (wanted as { result?: unknown }).result : wanted;
  if (kind === undefined) return given === true;
  if (result === undefined) return true;
  try {
    const want = expected(result);
    if ('name' in want) return given instanceof TypeValue && given.type.name === want.name;
    return isEqual(given, want.value) || (Number.isNaN(given) && Number.isNaN(want.value));
  } catch (error) {
    if (error instanceof NotOurs) return true;
    throw error;
  }
}
