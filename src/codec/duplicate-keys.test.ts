import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateKeys } from './duplicate-keys.ts';

const paths = (text: string): string[] => duplicateKeys(text).map(({ path }) => path);

describe('keys that stand twice', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"a":2,"a":3}', ['a', 'a']],
    ['{"metadata":{"labels":{"a":"b","a":"c"}},"data":{},"data":{}}', ['metadata.labels.a', 'data']],
    ['{"spec":{"containers":[{"name":"x"},{"name":"x","name":"y"}]}}', ['spec.containers[1].name']],
    ['[{"op":"add","op":"test"}]', ['[0].op']],
    ['{"a":[[{"b":1,"b":1}]]}', ['a[0][0].b']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"":1,"":2}', ['']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"a,b":1,"{":2,"{":3}', ['{']],
  ])('in %s', (text, expected) => {
    expect(paths(text)).toEqual(expected);
  });

  it.each(['{}', '[]', '5', '"a"', '{"a":{"a":"a"},"b":{"a":"a"}}', '{"a":"\\"a\\":1,\\"a\\":2"}', '{"a":["a","a"]}'])(
    'are not in %s',
    (text) => {
      expect(paths(text)).toEqual([]);
    },
  );

  it('are told with the line of the second', () => {
    expect(duplicateKeys('{\n"a":\n1,\n"a":2}')).toEqual([{ path: 'a', key: 'a', line: 4 }]);
  });

  it('are told up to a hundred', () => {
    expect(paths(`{${'"a":1,'.repeat(500)}"b":1}`)).toHaveLength(100);
  });

  it('are in nothing that was written by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (text, isIndented) => {
        expect(paths(JSON.stringify(JSON.parse(text), null, isIndented ? 2 : 0))).toEqual([]);
      }),
    );
  });
});
