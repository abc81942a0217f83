import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from './label-selector-parser.ts';
import { SelectorSyntaxError } from './selector.ts';

describe('label selectors', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['!a', '!a'],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    ['a!=b', 'a!=b'],
    [' a = b , c ', 'a=b,c'],
    ['a in (b,c)', 'a in (b,c)'],
    ['a in ( b , c , b )', 'a in (b,c)'],
    ['a notin (b)', 'a!=b'],
    ['a in (,b)', 'a in (,b)'],
    ['a in ()', 'a='],
    ['a in (b,,c,)', 'a in (b,,c)'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['a>1,b<2', 'a>1,b<2'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['! example.com/x', '!example.com/x'],
    ['a\n=\tb', 'a=b'],
  ])('%j is %j', (text, formatted) => {
    expect(parseLabelSelector(text).toString()).toBe(formatted);
  });

  it.each([
    'a=b c',
    'a,',
    ',a',
    'a,,b',
    '=b',
    'a in b',
    'a in (b',
    'a in (b))',
    '!a=b',
    '!!a',
    'a=b=c',
    'a>x',
    'a<-2',
    'a>1.5',
    'a>',
    'a=b!c',
    '(a)',
    '-a',
    'a/b/c',
    '/a',
    'A.com/b',
    'a=-b',
    `a=${'x'.repeat(64)}`,
    `${'x'.repeat(64)}`,
    'ключ',
    'a=b;c',
    'a=b\u0000',
  ])('refuses %j', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(SelectorSyntaxError);
  });

  it('come back as they were', () => {
    const key = fc.constantFrom('a', 'app', 'example.com/role', 'in');
    const value = fc.constantFrom('', 'x', 'a.b_c-d', 'notin');
    const term = fc.oneof(
      key,
      key.map((name) => `!${name}`),
      fc.tuple(key, fc.constantFrom('=', '!='), value).map((parts) => parts.join('')),
      fc
        .tuple(key, fc.constantFrom(' in ', ' notin '), fc.uniqueArray(value, { minLength: 2 }))
        .map(([name, operator, values]) => `${name}${operator}(${values.join(',')})`),
    );
    fc.assert(
      fc.property(fc.array(term), (terms) => {
        expect(parseLabelSelector(terms.join(',')).toString()).toBe(terms.join(','));
      }),
    );
  });

  it.each([
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a in (b,c)', { a: 'c' }, true],
    ['a notin (b,c)', { a: 'c' }, false],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['!a', {}, true],
    ['a>1', { a: '2' }, true],
    ['a>1', { a: '1' }, false],
    ['a<9007199254740993', { a: '9007199254740992' }, true],
    ['a>1', { a: 'x' }, false],
    ['a>1', {}, false],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['constructor', {}, false],
    ['!toString', {}, true],
    ['', {}, true],
  ])('%j over %j: %j', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });
});

/** What kube-apiserver 1.36 answers to the same. */
describe('refusals', () => {
  const REQUIREMENT = 'unable to parse requirement: ';
  it.each([
    ['a=b,', "found '', expected: identifier after ','"],
    [',a=b', "found ',', expected: !, identifier, or 'end of string'"],
    ['=', "found '=', expected: !, identifier, or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a b c', `${REQUIREMENT}found 'b', expected: in, notin, =, ==, !=, gt, lt`],
    ['!!a', `${REQUIREMENT}found '!', expected: identifier`],
    ['a in b', `${REQUIREMENT}found 'b' expected: '('`],
    ['a in (=', `${REQUIREMENT}found '=', expected: ',', ')' or identifier`],
    ['a in (b', `${REQUIREMENT}found '', expected: ',' or ')'`],
    ['a in (b,', `${REQUIREMENT}found '', expected: ',', or identifier`],
    ['a===b', `${REQUIREMENT}found '=', expected: identifier`],
    ['a>b', `${REQUIREMENT}values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`],
  ])('of %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorSyntaxError(message));
  });
});
