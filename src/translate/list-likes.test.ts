import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { toTenant, toUpstream } from './object.ts';
import { NeedsLiveObject, patchToUpstream } from './patch.ts';

const ACME = scopeOf('acme');
const WIDGET = kindAt(ACME, 'stable.example.com/widgets');
const MAP = kindAt(ACME, '/configmaps');
const REFUSED = expect.objectContaining({
  code: 'ERR_INVALID',
  message: expect.stringMatching(/^Widget\.stable\.example\.com "w" is invalid: items: Forbidden: /),
});

function widget(items: JsonValue): JsonObject {
  return { apiVersion: 'stable.example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'web' }, items };
}
function patch(type: string, document: JsonValue, at = WIDGET): JsonValue {
  return patchToUpstream(document, `application/${type}`, at, ACME, '', 'w');
}

describe('an object of a custom kind', () => {
  it.each([[[]], [['a']], [[{ metadata: {} }]]])('with the items %j would pass for a list', (items) => {
    expect(() => toUpstream(widget(items), WIDGET, ACME)).toThrow(REFUSED);
    expect(() => toUpstream(widget(items), WIDGET, ACME, 'status')).toThrow(REFUSED);
    expect(() => patch('merge-patch+json', { items })).toThrow(REFUSED);
    expect(() => patch('apply-patch+yaml', widget(items))).toThrow(REFUSED);
    for (const op of ['add', 'replace', 'test'])
      expect(() => patch('json-patch+json', [{ op, path: '/items', value: items }])).toThrow(REFUSED);
  });

  it('gets no items from elsewhere without a look at it', () => {
    for (const op of ['copy', 'move'])
      expect(() => patch('json-patch+json', [{ op, from: '/spec/a', path: '/items' }])).toThrow(NeedsLiveObject);
  });

  it.each([[{ a: 1 }], ['x'], [7], [null]])('may have the items %j', (items) => {
    expect(toUpstream(widget(items), WIDGET, ACME)['items']).toEqual(items);
    expect(patch('merge-patch+json', { items })).toEqual({ items });
    const operation = { op: 'add', path: '/items', value: items };
    expect(patch('json-patch+json', [operation])).toEqual([operation]);
  });

  it('may have items anywhere below, and lose what it has', () => {
    const spec = { items: ['a'] };
    expect(toUpstream({ ...widget(null), spec }, WIDGET, ACME)['spec']).toEqual(spec);
    for (const operation of [
      { op: 'add', path: '/spec/items', value: ['a'] },
      { op: 'add', path: '/items/a', value: ['a'] },
      { op: 'remove', path: '/items' },
    ])
      expect(patch('json-patch+json', [operation])).toEqual([operation]);
  });
});

describe('a kind', () => {
  const CRD = kindAt(ACME, 'apiextensions.k8s.io/customresourcedefinitions');
  const crd = (items: JsonObject): JsonObject => ({
    metadata: { name: 'foos.b.c' },
    spec: {
      group: 'b.c',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo' },
      versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties: { items } } } }],
    },
  });
  const AT = 'spec.versions[0].schema.openAPIV3Schema.properties.items.default: Forbidden';
  const place = '/spec/versions/0/schema/openAPIV3Schema/properties/items';

  it('that fills in items is refused', () => {
    const filled = { type: 'array', default: ['a'] };
    expect(() => toUpstream(crd(filled), CRD, ACME)).toThrow(AT);
    expect(() => toUpstream(crd({ default: [] }), CRD, ACME)).toThrow(AT);
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'])
      expect(() => patch(type, crd(filled), CRD)).toThrow(AT);
    const json = (path: string, value: JsonValue) => patch('json-patch+json', [{ op: 'add', path, value }], CRD);
    // The schema is judged as a whole.
    expect(() => json(place, filled)).toThrow(NeedsLiveObject);
    expect(() => json('/spec/versions/0/schema', { openAPIV3Schema: { properties: { items: filled } } })).toThrow(
      'items.default: Forbidden',
    );
    expect(() => json(`${place}/default`, ['a'])).toThrow(NeedsLiveObject);
  });

  it('that only has items is not', () => {
    for (const items of [{ type: 'array' }, { type: 'object', default: {} }])
      expect(toTenant(toUpstream(crd(structuredClone(items)), CRD, ACME), CRD, ACME)).toMatchObject(crd(items));
  });
});

describe('an object of another kind', () => {
  it('with items is upstream’s to judge', () => {
    const items = ['a'];
    expect(toUpstream({ metadata: { name: 'm', namespace: 'web' }, items }, MAP, ACME)['items']).toEqual(items);
    expect(patch('merge-patch+json', { items }, MAP)).toEqual({ items });
  });
});
