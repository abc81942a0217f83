import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSelector, SelectorSyntaxError } from './selector.ts';

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
