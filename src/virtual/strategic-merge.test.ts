import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { PatchError } from './patch-directives.ts';
import type { PatchSchema } from './patch-schema.ts';
import { applyStrategicMerge } from './strategic-merge.ts';

/** Every way that a field can be merged. */
const SCHEMA: PatchSchema = {
  fields: {
    map: {},
    text: {},
    plain: { items: { fields: { name: {} } } },
    set: { items: {}, strategy: 'merge' },
    empty: { items: {}, strategy: 'merge' },
    keyed: {
      items: { fields: { name: {}, value: {}, inner: { fields: { a: {}, b: {} } } } },
      strategy: 'merge',
      mergeKey: 'name',
    },
    whole: { fields: { a: {}, b: {} }, strategy: 'replace' },
    union: { fields: { a: {}, b: {}, c: {} }, strategy: 'retainKeys' },
    nested: { fields: { a: {}, b: {} } },
  },
};
const one = { name: 'one', value: 1, inner: { a: 1 } };
const two = { name: 'two', value: 2 };
const CURRENT: JsonObject = {
  map: { a: '1', b: '2' },
  text: 'x',
  plain: [{ name: 'p' }],
  set: ['a', 'b', 'c'],
  empty: [],
  keyed: [one, two],
  whole: { a: 1 },
  union: { a: 1, b: 2 },
  nested: { a: 1 },
};

// Expected: what kube-apiserver's own strategicpatch package gives for the same three.
const cases: [string, JsonObject, JsonObject][] = [
  ['sets and deletes in a map', { map: { a: null, c: '3' } }, { map: { b: '2', c: '3' } }],
  ['deletes a field', { text: null }, { text: undefined as never }],
  ['replaces a plain list', { plain: [{ name: 'q' }] }, { plain: [{ name: 'q' }] }],
  ['merges a set', { set: ['d', 'a'] }, { set: ['d', 'a', 'b', 'c'] }],
  ['takes out of a set', { '$deleteFromPrimitiveList/set': ['b', 'x'] }, { set: ['a', 'c'] }],
  ['orders a set', { '$setElementOrder/set': ['c', 'a'] }, { set: ['b', 'c', 'a'] }],
  [
    'takes out, adds and orders',
    { '$deleteFromPrimitiveList/set': ['b'], '$setElementOrder/set': ['d', 'a'], set: ['d'] },
    { set: ['d', 'a', 'c'] },
  ],
  [
    'merges by key',
    { keyed: [{ name: 'one', inner: { b: 2 } }, { name: 'new' }] },
    { keyed: [{ ...one, inner: { a: 1, b: 2 } }, { name: 'new' }, two] },
  ],
  ['deletes by key', { keyed: [{ name: 'one', $patch: 'delete' }] }, { keyed: [two] }],
  ['replaces a keyed list', { keyed: [{ name: 'q' }, { $patch: 'replace' }] }, { keyed: [{ name: 'q' }] }],
  [
    'orders by key',
    { '$setElementOrder/keyed': [{ name: 'two' }, { name: 'one' }], keyed: [{ name: 'two', value: 9 }] },
    { keyed: [{ name: 'two', value: 9 }, one] },
  ],
  ['replaces a field that says so', { whole: { b: 2 } }, { whole: { b: 2 } }],
  ['retains keys', { union: { $retainKeys: ['b', 'c'], c: 3 } }, { union: { b: 2, c: 3 } }],
  ['replaces a map by directive', { nested: { $patch: 'replace', b: 2 } }, { nested: { b: 2 } }],
  ['deletes a map by directive', { nested: { $patch: 'delete' } }, { nested: {} }],
  ['adds without nulls and directives', { extra: { a: null, b: { $patch: 'delete' }, c: 1 } }, { extra: { c: 1 } }],
  ['changes the type of a field', { text: { a: null, b: 1 } }, { text: { b: 1 } }],
  ['takes no field called __proto__ for more than data', JSON.parse('{"map":{"__proto__":"x"}}'), {}],
];

describe('strategic merge patch', () => {
  it.each(cases)('%s', (_, patch, changed) => {
    const before = structuredClone({ CURRENT, patch });
    const result = applyStrategicMerge(CURRENT, patch, SCHEMA);
    for (const [field, value] of Object.entries(changed)) expect(result[field]).toEqual(value);
    const others = Object.keys(CURRENT).filter((field) => !Object.hasOwn(changed, field) && field !== 'map');
    for (const field of others) expect(result[field]).toEqual(CURRENT[field]);
    expect({ CURRENT, patch }).toEqual(before);
    expect(Object.getPrototypeOf(result['map'])).toBe(Object.prototype);
  });

  it('replaces and empties the whole object', () => {
    expect(applyStrategicMerge(CURRENT, { $patch: 'replace', text: 'y' }, SCHEMA)).toEqual({ text: 'y' });
    expect(applyStrategicMerge(CURRENT, { $patch: 'delete' }, SCHEMA)).toEqual({});
  });

  const refusals: [string, JsonObject, string, RegExp][] = [
    ['an unknown directive', { nested: { $patch: 'frob' } }, 'internal', /unknown patch type: frob/],
    ['a merge directive', { keyed: [{ name: 'a', $patch: 'merge' }] }, 'internal', /cannot yet be specified/],
    ['a missing key', { keyed: [{ value: 1 }] }, 'internal', /does not contain declared merge key: name/],
    ['a deletion without key', { keyed: [{ $patch: 'delete' }] }, 'internal', /does not contain declared merge key/],
    ['keys outside of retainKeys', { union: { $retainKeys: ['a'], c: 3 } }, 'bad-request', /retainKeys/],
    ['retainKeys that are no list', { union: { $retainKeys: 'a' } }, 'bad-request', /retainKeys/],
    [
      'an order that the list breaks',
      { '$setElementOrder/set': ['a', 'd'], set: ['d', 'a'] },
      'internal',
      /order in patch/,
    ],
    ['an order without a field', { $setElementOrder: ['a'] }, 'bad-request', /setElementOrder list/],
    ['a deletion without a field', { $deleteFromPrimitiveList: ['a'] }, 'bad-request', /primitive list/],
    ['an order of maps without key', { '$setElementOrder/plain': [{ name: 'p' }] }, 'internal', /no merge key/],
    ['mixed lists', { set: [1] }, 'internal', /not identical/],
    ['lists of lists', { empty: [['a']] }, 'invalid', /lists of lists/],
  ];
  it.each(refusals)('refuses %s', (_, patch, fault, message) => {
    const act = () => applyStrategicMerge(CURRENT, patch, SCHEMA);
    expect(act).toThrow(message);
    expect(act).toThrow(expect.objectContaining({ constructor: PatchError, fault }));
  });
});
