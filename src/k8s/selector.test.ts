import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSelector, parseLabelSelector, SelectorSyntaxError } from './selector.ts';

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
    'a in ()',
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

describe('field selectors', () => {
  it.each([
    ['', ''],
    ['a=b', 'a=b'],
    ['a==b', 'a=b'],
    ['a!=b', 'a!=b'],
    ['a=b,,c!=d,', 'a=b,c!=d'],
    ['a=', 'a='],
    ['a=x\\,y\\=z\\\\', 'a=x\\,y\\=z\\\\'],
    ['metadata.name=web', 'metadata.name=web'],
  ])('%j is %j', (text, formatted) => {
    expect(parseFieldSelector(text).toString()).toBe(formatted);
  });

  it.each(['a', 'a=b=c', 'a=b\\', 'a=b\\x', 'a=b c,d'])('refuses %j', (text) => {
    expect(() => parseFieldSelector(text)).toThrow(SelectorSyntaxError);
  });

  it('values come back as they were', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const text = `a=${value.replace(/[\\,=]/g, '\\$&')}`;
        const parsed = parseFieldSelector(text);
        expect(parsed.requirements).toEqual([{ field: 'a', operator: '=', value }]);
        expect(parsed.toString()).toBe(text);
      }),
    );
  });

  it.each([
    ['metadata.name=x', { 'metadata.name': 'x' }, true],
    ['metadata.name=x', { 'metadata.name': 'y' }, false],
    ['metadata.name!=x', { 'metadata.name': 'y' }, true],
    ['other=', {}, true],
    ['other=x', {}, false],
    ['a=b,c=d', { a: 'b', c: 'x' }, false],
  ])('%j over %j: %j', (text, fields, expected) => {
    expect(parseFieldSelector(text).matches(fields)).toBe(expected);
  });
});
