import { describe, expect, it } from 'vitest';
import { compile, environmentWith, InvalidExpression } from './compile.ts';
import { BOOL, DYN, INT, STRING } from './types.ts';
import { fromJson, type Value } from './values.ts';

const environment = environmentWith({ variables: { object: DYN, count: INT } });
const BUDGET = { cost: 1_000_000, ms: 10_000 };

function run(expression: string, object: Parameters<typeof fromJson>[0] = {}): Value {
  const values: Record<string, Value> = { object: fromJson(object), count: 3n };
  return compile(expression, environment).run((name) => values[name], BUDGET).value;
}

describe('an expression that does not compile', () => {
  it.each([
    ['object.x ==', "Syntax error: mismatched input '<EOF>' expecting"],
    ['... [] bad expression', 'compilation failed'],
    ['nope', "ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^"],
    ['1 +\n nope', "ERROR: <input>:2:2: undeclared reference to 'nope' (in container '')\n |  nope\n | .^"],
    ['nope() || nein', "ERROR: <input>:1:5: undeclared reference to 'nope' (in container '')"],
    [
      "1 + 'x'",
      "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'\n | 1 + 'x'\n | ..^",
    ],
    ["'x'.startsWith(1)", "found no matching overload for 'startsWith' applied to 'string.(int)'"],
    [
      'count.all(x, true)',
      "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ['count.x', "type 'int' does not support field selection"],
    ["[1, 'x'] == []", "expected type 'int' but found 'string'"],
    ["quantity('1').x", "unexpected failed resolution of 'kubernetes.Quantity'"],
    ['has(count)', 'invalid argument to has() macro'],
    ['for', 'reserved identifier: for'],
    ["'\\z'", 'unable to unescape string'],
    ['9223372036854775808', 'invalid int literal'],
    ['object.all(x.y, true)', 'argument must be a simple name'],
    ['Nope{x: 1}', "undeclared reference to 'Nope' (in container '')"],
  ])('%j says why in cel-go’s words', (expression, words) => {
    expect(() => compile(expression, environment)).toThrow(InvalidExpression);
    expect(() => compile(expression, environment)).toThrow(words);
  });

  it('says which type was wanted', () => {
    expect(() => compile('1', environment, [BOOL])).toThrow('must evaluate to bool but got int');
    expect(() => compile('1', environment, [STRING, BOOL])).toThrow(
      'must evaluate to one of [string bool] but got int',
    );
    expect(compile('object.x', environment, [DYN]).type).toEqual(DYN);
    expect(compile('count == 3', environment, [BOOL]).type).toEqual(BOOL);
  });
});

describe('an expression over an object', () => {
  it.each([
    ['object.spec.replicas <= 5', { spec: { replicas: 3 } }, true],
    ['object.spec.replicas <= 5', { spec: { replicas: 6 } }, false],
    ['has(object.spec.x)', { spec: {} }, false],
    ['has(object.spec.x)', { spec: { x: null } }, true],
    ['object.a.?b.c.orValue(7)', { a: {} }, 7n],
    ['object.a[?"b"].optMap(x, x + 1).orValue(0)', { a: { b: 1 } }, 2n],
    ['object.list.map(x, x * 2).sum()', { list: [1, 2, 3] }, 12n],
    ['object.list.exists(i, v, i == 1 && v == 2)', { list: [1, 2, 3] }, true],
    ['object.m.transformMap(k, v, v + k).b', { m: { a: 'x', b: 'y' } }, 'yb'],
    ['object.m.all(k, object.m[k] != "")', { m: { a: 'x' } }, true],
    ['object["constructor"] == 1', { constructor: 1 }, true],
    ['has(object.toString)', {}, false],
    ['"__proto__" in object', {}, false],
    ["quantity(object.m).isLessThan(quantity('1Gi'))", { m: '1000Mi' }, true],
    ["cidr('10.0.0.0/8').containsIP(object.ip)", { ip: '10.1.2.3' }, true],
    ['url(object.u).getHostname()', { u: 'https://[::1]:80/x' }, '::1'],
    ["semver(object.v).isGreaterThan(semver('1.9.0'))", { v: '1.10.0-rc.1' }, true],
    ['format.dns1123Label().validate(object.n).hasValue()', { n: 'Bad' }, true],
    ["object.s.find('[0-9]+')", { s: 'abc 123' }, '123'],
    ["'%d of %s'.format([dyn(3), dyn(object.s)])", { s: 'x' }, '3 of x'],
    ["object.s.split(',').sort().join('-')", { s: 'b,a' }, 'a-b'],
    ['object.d == 1.5 && object.i == 1', { d: 1.5, i: 1 }, true],
    ['type(object.d) == double && type(object.i) == int', { d: 1.5, i: 1 }, true],
  ])('%s', (expression, object, value) => {
    expect(run(expression, object)).toEqual(value);
  });

  it.each([
    ['object.x', 'no such key: x'],
    ['object.list[5]', 'index out of bounds: 5'],
    ['1 / (count - 3)', 'division by zero'],
    ['object.list + 1 == 1', 'no such overload'],
    ['object.list.startsWith("x")', 'no such overload'],
    ['object.list.lowerAscii()', 'no such overload: lowerAscii(list)'],
    ['optional.none().value()', 'optional.none() dereference'],
    ['9223372036854775807 + count', 'integer overflow'],
  ])('%s fails with %s', (expression, words) => {
    expect(() => run(expression, { list: [] })).toThrow(words);
  });

  it('forgives an error where the other side decides', () => {
    expect(run('object.x || count == 3')).toBe(true);
    expect(run('count == 3 || object.x')).toBe(true);
    expect(run('object.x && count == 4')).toBe(false);
    expect(run('[0, 1].exists(x, 1 / x == 1)')).toBe(true);
    expect(() => run('object.x || count == 4')).toThrow('no such key: x');
  });
});
