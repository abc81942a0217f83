import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../k8s/types.ts';
import { findRepeatedKeys, MAX_REPEATED_KEYS, stringifyRepeated } from './repeated-keys.ts';

const find = (text: string) => findRepeatedKeys(text, JSON.parse(text));

describe('keys that stand more than once', () => {
  it.each([
    ['{"a":1,"b":{"a":1}}', []],
    ['{"a":1,"a":2}', [{ path: ['a'], line: 1, after: 1 }]],
    [
      '{"a":1,\n"b":[{"c":1},{"c":1,\n"c":2,"c":3}],\n"a":{}}',
      [
        { path: ['b', 1, 'c'], line: 3, after: 1 },
        { path: ['b', 1, 'c'], line: 3, after: 1 },
        { path: ['a'], line: 4, after: 2 },
      ],
    ],
    // Only in the text of strings, or spelled otherwise.
    ['{"a":"\\"a\\":1, \\"a\\":","b":"{\\\\"}', []],
    ['{"a":1,"\\u0061" : 2}', [{ path: ['a'], line: 1, after: 1 }]],
    ['{"__proto__":1,"__proto__":2}', [{ path: ['__proto__'], line: 1, after: 1 }]],
    [
      '[{"a":[],"a":[[{"x":0,"x":1}]]}]',
      [
        { path: [0, 'a'], line: 1, after: 1 },
        { path: [0, 'a', 0, 0, 'x'], line: 1, after: 1 },
      ],
    ],
    ['"a"', []],
  ])('are found in %j', (text, found) => {
    expect(find(text)).toEqual(found);
  });

  it('are counted up to what the API server tells', () => {
    expect(find(`{${'"a":1,'.repeat(500)}"a":2}`)).toHaveLength(MAX_REPEATED_KEYS);
  });
});

describe('a document that goes on with them', () => {
  it('has them where they stood, and the last is what counts', () => {
    const text = stringifyRepeated({ a: 4, b: { c: [1] } }, [
      { path: ['b', 'c'], line: 3, after: 1 },
      { path: ['b', 'c'], line: 5, after: 1 },
      { path: ['a'], line: 7, after: 2 },
    ]);
    expect(text).toBe('{"a":null,"b":{"c":null\n\n,"c":null\n\n,"c":[1]}\n\n,"a":4}');
    expect(JSON.parse(text)).toEqual({ a: 4, b: { c: [1] } });
  });

  it('has the last value once, also where the order is another by now', () => {
    const text = stringifyRepeated({ b: 'long', a: 1 }, [{ path: ['a'], line: 1, after: 1 }]);
    expect(text).toBe('{"b":"long","a":null,"a":1}');
  });

  it('leaves out those that the document no longer has', () => {
    const gone = [['x', 'y'], ['a', 'b'], [0], ['c']].map((path) => ({ path, line: 1, after: 1 }));
    expect(stringifyRepeated({ a: 1 }, gone)).toBe('{"a":1}');
  });

  it('is as large as it was, however deep they stand', () => {
    let [text, value] = ['1', 1 as JsonValue];
    for (let depth = 0; depth < 90; depth++) [text, value] = [`{"a":0,"a":${text}}`, { a: value }];
    expect(stringifyRepeated(value, find(text)).length).toBeLessThan(2 * text.length);
  });

  it('is the same document, with the same keys repeated', () => {
    const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(value, fc.nat(8), (document, seed) => {
        const paths = pathsIn(document)
          .filter((_, index) => (index + seed) % 3 === 0)
          .slice(0, MAX_REPEATED_KEYS);
        const repeated = paths.map((path) => ({ path, line: 1, after: seed }));
        const text = stringifyRepeated(document, repeated);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
        const key = ({ path }: { path: readonly unknown[] }) => JSON.stringify(path);
        expect(find(text).map(key).sort()).toEqual(repeated.map(key).sort());
      }),
    );
  });
});

function pathsIn(value: JsonValue, above: (string | number)[] = []): (string | number)[][] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const path = [...above, Array.isArray(value) ? Number(name) : name];
    return [...(Array.isArray(value) ? [] : [path]), ...pathsIn(each, path)];
  });
}
