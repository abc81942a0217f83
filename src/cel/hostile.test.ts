/** What a tenant may write to hold up the process: each ends early, by the cost or by the size, and an honest twin runs. */
import { describe, expect, it } from 'vitest';
import { compile, environmentWith, InvalidExpression } from './compile.ts';
import { CostExceeded } from './evaluation-error.ts';
import { DYN } from './types.ts';
import { fromJson } from './values.ts';

const environment = environmentWith({ variables: { object: DYN } });
const long = fromJson({ text: 'a'.repeat(200_000), list: Array.from({ length: 2_000 }, (_none, index) => index) });

function run(expression: string, cost = 1_000_000): unknown {
  return compile(expression, environment).run((name) => (name === 'object' ? long : undefined), { cost, ms: 60_000 })
    .value;
}

const nest = (times: number, open: string, inner: string, close: string) =>
  open.repeat(times) + inner + close.repeat(times);

describe('a tree that is too deep or too large is refused', () => {
  it.each([
    ['parentheses', nest(100_000, '(', '1', ')')],
    ['lists', nest(300, '[', '1', ']')],
    ['a chain of sums', `1${' + 1'.repeat(1_000)}`],
    ['a chain of fields', `object${'.a'.repeat(1_000)}`],
    ['a long text', `'${'x'.repeat(100_001)}'`],
    [
      'a type that doubles',
      `[1]${Array.from({ length: 40 }, (_none, index) => `.map(a${index}, {a${index}: a${index}})`).join('')}`,
    ],
  ])('%s', (_what, expression) => {
    expect(() => compile(expression, environment)).toThrow(InvalidExpression);
  });

  it.each([
    ['parentheses', nest(200, '(', '1', ')')],
    ['a chain of sums', `1${' + 1'.repeat(200)}`],
    ['a chain of ors', `false${' || true'.repeat(10_000)}`],
    ['optionals in optionals', `object.?a${'.optMap(x, x)'.repeat(200)}`],
  ])('but not %s as they occur', (_what, expression) => {
    expect(compile(expression, environment)).toBeDefined();
  });
});

describe('a run that costs too much is stopped', () => {
  it.each([
    ['loops in loops', 'object.list.all(a, object.list.all(b, object.list.all(c, a + b + c >= 0)))'],
    ['loops of nothing', 'object.list.all(a, object.list.all(b, object.list.all(c, true)))'],
    ['a text that doubles', `optional.of(object.text)${'.optMap(x, x + x)'.repeat(40)}.hasValue()`],
    ['a list that doubles', `optional.of(object.list)${'.optMap(x, x + x)'.repeat(40)}.hasValue()`],
    ['a text that is filled in', "object.text.replace('a', object.text).size()"],
    [
      'a text that is formatted',
      `optional.of(object.text)${".optMap(x, '%s%s%s'.format([x, x, x]))".repeat(20)}.hasValue()`,
    ],
    ['a range without end', 'lists.range(9223372036854775807).size()'],
    ['distinct of many', 'object.list.distinct().size()'],
    ['membership in membership', 'object.list.all(a, object.list.all(b, a in object.list))'],
  ])('%s', (_what, expression) => {
    expect(() => run(expression)).toThrow(CostExceeded);
  });

  it('and a run that takes too long', () => {
    const slow = compile('object.list.all(a, object.list.all(b, a + b >= 0))', environment);
    expect(() => slow.run(() => long, { cost: Number.MAX_VALUE, ms: 0 })).toThrow(CostExceeded);
  });

  it('and no absorbing of errors absorbs that', () => {
    expect(() => run('object.list.all(a, object.list.all(b, a in object.list)) || true')).toThrow(CostExceeded);
  });

  it('while a pattern takes its time by the length of the text, whatever it is', () => {
    expect(run("object.text.matches('^(a+)+$b')")).toBe(false);
  });

  it('but not an honest one', () => {
    expect(run('object.list.all(a, a >= 0) && object.text.matches("^a+$") && object.text.size() == 200000')).toBe(true);
    expect(run('object.list.map(a, a + 1).filter(a, a % 2 == 0).size()')).toBe(1000n);
  });
});
