import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../../test/support/translate-scope.ts';
import { isObject, type JsonObject, type JsonValue } from '../../k8s/types.ts';
import { toTenant, toUpstream } from '../object.ts';
import { NeedsLiveObject, patchToUpstream } from '../patch.ts';

const ACME = scopeOf('acme');
const CRD = kindAt(ACME, 'apiextensions.k8s.io/customresourcedefinitions');
const NAMES = {
  plural: 'foos',
  singular: 'foo',
  kind: 'Foo',
  listKind: 'FooList',
  shortNames: ['fo', 'po'],
  categories: ['all'],
};
const STORED = {
  ...NAMES,
  singular: 'acme--foo',
  shortNames: ['acme--fo', 'acme--po'],
  categories: ['acme--all'],
};

function crd(names: JsonObject, more: JsonObject = {}): JsonObject {
  return structuredClone({ metadata: { name: 'foos.b.c' }, spec: { group: 'b.c', names, ...more } }) as JsonObject;
}

function namesUp(names: JsonObject): JsonValue | undefined {
  const { spec } = toUpstream(crd(names), CRD, ACME);
  return isObject(spec) ? spec['names'] : undefined;
}

function namesPatched(type: string, patch: JsonValue): JsonValue | undefined {
  const mapped = patchToUpstream(structuredClone(patch), `application/${type}`, CRD, ACME);
  const spec = isObject(mapped) ? mapped['spec'] : undefined;
  return isObject(spec) ? spec['names'] : undefined;
}

describe('names of a CRD', () => {
  it('by which kubectl finds a kind are the tenant’s own upstream, and come back as they were', () => {
    expect(namesUp(NAMES)).toEqual(STORED);
    const stored = {
      metadata: { name: 'foos.acme--b.c', labels: { 'kubeveil.dev/tenant': 'acme' } },
      spec: { group: 'acme--b.c', names: structuredClone(STORED) },
      status: { acceptedNames: structuredClone(STORED) },
    };
    expect(toTenant(stored as JsonObject, CRD, ACME)).toMatchObject({
      spec: { names: NAMES },
      status: { acceptedNames: NAMES },
    });
  });

  it('get the singular that Kubernetes would give, since upstream it would be the host’s', () => {
    expect(namesUp({ plural: 'foos', kind: 'FooBar' })).toMatchObject({ singular: 'acme--foobar' });
    expect(namesUp({ plural: 'foos', kind: 'FooBar', singular: '' })).toMatchObject({ singular: 'acme--foobar' });
    expect(namesUp({ plural: 'foos' })).toEqual({ plural: 'foos' });
  });

  it('are mapped in patches of every type', () => {
    const patch = { spec: { names: { shortNames: ['fo'], kind: 'Foo' } } };
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json']) {
      expect(namesPatched(type, patch)).toEqual({ shortNames: ['acme--fo'], kind: 'Foo' });
      expect(namesPatched(type, { spec: { names: { shortNames: null } } })).toEqual({ shortNames: null });
      for (const names of [{ singular: null }, { singular: '' }, { $patch: 'replace', kind: 'Foo' }])
        expect(() => namesPatched(type, { spec: { names } })).toThrow(NeedsLiveObject);
    }
    expect(namesPatched('apply-patch+yaml', { metadata: { name: 'foos.b.c' }, ...patch })).toEqual({
      shortNames: ['acme--fo'],
      kind: 'Foo',
      singular: 'acme--foo',
    });
    const json = (path: string, value: JsonValue) =>
      patchToUpstream([{ op: 'add', path, value }], 'application/json-patch+json', CRD, ACME);
    expect(json('/spec/names', { shortNames: ['fo'] })).toEqual([
      { op: 'add', path: '/spec/names', value: { shortNames: ['acme--fo'] } },
    ]);
    expect(() => json('/spec/names/shortNames', ['fo'])).toThrow(NeedsLiveObject);
    expect(() => json('/spec/names/shortNames/0', 'fo')).toThrow(NeedsLiveObject);
  });

  it.each<[JsonObject, string]>([
    [{ plural: 'tenants', kind: 'Foo' }, 'spec.names.plural: Invalid value: "tenants": this name is reserved'],
    [{ plural: 'foos', kind: 'Tenant' }, 'spec.names.kind: Invalid value: "Tenant": this name is reserved'],
    [{ plural: 'foos', kind: 'tenant' }, 'spec.names.kind: Invalid value: "tenant": this name is reserved'],
    [{ ...NAMES, shortNames: ['fo', '-x'] }, 'spec.names.shortNames[1]: Invalid value: "-x": a DNS-1035 label'],
    [{ ...NAMES, shortNames: ['1x'] }, 'spec.names.shortNames[0]: Invalid value: "1x": a DNS-1035 label'],
    [{ ...NAMES, categories: ['All'] }, 'spec.names.categories[0]: Invalid value: "All": a DNS-1035 label'],
    [{ ...NAMES, singular: '-' }, 'spec.names.singular: Invalid value: "-": a DNS-1035 label'],
    [{ ...NAMES, singular: 'x'.repeat(58) }, 'must be no more than 57 characters in this cluster, has 58'],
  ])('%j are refused', (names, message) => {
    const refused = expect.objectContaining({ code: 'ERR_INVALID', message: expect.stringContaining(message) });
    expect(() => namesUp(names)).toThrow(refused);
    const patch = (type: string) => namesPatched(type, { metadata: { name: 'foos.b.c' }, spec: { names } });
    for (const type of ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'])
      expect(() => patch(type)).toThrow(refused);
  });

  it('that only look alike are the tenant’s to choose', () => {
    const names = { ...NAMES, plural: 'tenants2', kind: 'TenantX', singular: 'tenant', shortNames: ['tenants'] };
    expect(namesUp(names)).toMatchObject({ singular: 'acme--tenant', shortNames: ['acme--tenants'] });
  });

  it('that are no text are upstream’s to refuse', () => {
    expect(namesUp({ plural: 7, kind: null, shortNames: 'x', categories: [7], singular: [] })).toEqual({
      plural: 7,
      kind: null,
      shortNames: 'x',
      categories: [7],
      singular: [],
    });
  });
});

describe('the group of a CRD', () => {
  const up = (group: string) => toUpstream(crd(NAMES, { group }), CRD, ACME);
  it.each(['-a.com', 'a..com', '.a.com', 'A.com', 'a.com-', 'a_b.com', 'a.com.'])('%s is no group', (group) => {
    expect(() => up(group)).toThrow(
      `spec.group: Invalid value: "${group}": a lowercase RFC 1123 subdomain must consist of`,
    );
    const patch = { spec: { group } };
    expect(() => patchToUpstream(patch, 'application/merge-patch+json', CRD, ACME)).toThrow('spec.group: Invalid');
  });
  it.each(['a.com', '1.com', 'a--b.com'])('%s is one', (group) => {
    expect(up(group)['spec']).toMatchObject({ group: `acme--${group}` });
  });
});
