import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { applyPatch } from '../translate/apply.ts';
import { patchBetween } from './json-patch.ts';

const keys = fc.oneof(fc.constantFrom('a', 'b', 'a/b', '~', 'x~1y', 'metadata'), fc.string({ maxLength: 4 }));
const { object } = fc.letrec<{ object: JsonObject; value: JsonValue }>((tie) => ({
  object: fc.dictionary(
    keys.filter((key) => key !== '__proto__'),
    tie('value'),
    { maxKeys: 4 },
  ) as fc.Arbitrary<JsonObject>,
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
}));

describe('the patch between two documents', () => {
  it('makes the second of the first, whatever they are', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const made = applyPatch(structuredClone(before), patchBetween(before, after), 'application/json-patch+json');
        expect(made).toEqual(after);
      }),
    );
  });

  it('is none between a document and itself', () => {
    fc.assert(
      fc.property(object, (one) => {
        expect(patchBetween(one, structuredClone(one))).toEqual([]);
      }),
    );
  });

  it('names fields, and lists as a whole', () => {
    expect(patchBetween({ a: { 'b/c': 1, d: 2 }, l: [1] }, { a: { 'b/c': 3 }, l: [1, 2], n: 4 })).toEqual([
      { op: 'remove', path: '/a/d' },
      { op: 'replace', path: '/a/b~1c', value: 3 },
      { op: 'replace', path: '/l', value: [1, 2] },
      { op: 'add', path: '/n', value: 4 },
    ]);
  });
});
