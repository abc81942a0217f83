import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/k8s/types.ts';
import { KINDS } from '../../../src/kinds/table.ts';
import { virtualBehaviour } from '../../../src/virtual/behaviours.ts';
import { makeVirtualCrd } from './crd.ts';
import { inlined, schemaOfKind, structural } from './schema.ts';

const REF = '#/components/schemas/';

describe('references', () => {
  const schemas: JsonObject = {
    Inner: { type: 'object', description: 'inner', properties: { a: { type: 'string', default: '' } } },
    Outer: {
      type: 'object',
      properties: { one: { $ref: `${REF}Inner` }, all: { type: 'array', items: { $ref: `${REF}Inner` } } },
    },
    Round: { type: 'object', properties: { again: { $ref: `${REF}Round` } } },
  };
  it('are put in their place, and what stands beside them wins', () => {
    expect(inlined({ allOf: [{ $ref: `${REF}Inner` }], description: 'mine', default: {} }, schemas)).toEqual({
      ...(schemas['Inner'] as JsonObject),
      description: 'mine',
      default: {},
    });
    expect(inlined({ $ref: `${REF}Outer` }, schemas)).toMatchObject({
      properties: { one: schemas['Inner'] as JsonObject, all: { items: schemas['Inner'] as JsonObject } },
    });
  });
  it('that go round, name nothing or are several are refused', () => {
    expect(() => inlined({ $ref: `${REF}Round` }, schemas)).toThrow(/contains itself/);
    expect(() => inlined({ $ref: `${REF}Nothing` }, schemas)).toThrow(/names nothing/);
    expect(() => inlined({ allOf: [{}, {}] }, schemas)).toThrow(/allOf with 2 parts/);
  });
});

describe('a structural schema', () => {
  it('has no zero defaults, and requires nothing but the keys of its keyed lists', () => {
    const keyed = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'protocol'],
    };
    const items = {
      type: 'object',
      required: ['x'],
      properties: { name: { type: 'string' }, protocol: { type: 'string', default: 'TCP' } },
    };
    expect(
      structural({
        type: 'object',
        properties: {
          text: { type: 'string', default: '' },
          map: { type: 'object', default: {}, additionalProperties: { type: 'string', default: '' } },
          list: { ...keyed, items },
          wrong: { type: 'string', 'x-kubernetes-list-type': 'atomic' },
          port: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
        },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string' },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        list: { ...keyed, items: { ...items, required: ['name'] } },
        wrong: { type: 'string' },
        port: { 'x-kubernetes-int-or-string': true },
      },
    });
  });
  it('is refused where a keyword is not known', () => {
    expect(() => structural({ type: 'object', properties: { a: { type: 'string', frob: 1 } } })).toThrow(/frob at \.a/);
  });
});

describe('the definition of a virtual kind', () => {
  const kind = KINDS.find((one) => one.kind === 'ClusterRoleBinding');
  if (kind === undefined) throw new Error('no row');
  const schema = {
    type: 'object',
    properties: { metadata: { type: 'object', properties: { name: { type: 'string' } } }, roleRef: { type: 'object' } },
    'x-kubernetes-group-version-kind': [{ group: kind.group, version: 'v1', kind: kind.kind }],
  };
  const document = { components: { schemas: { X: schema } } };
  it('is of our group, leaves metadata to the server and guards the role', () => {
    expect(makeVirtualCrd(kind, 'v1', document)).toMatchObject({
      metadata: { name: 'clusterrolebindings.virtual.kubeveil.dev' },
      spec: {
        scope: 'Cluster',
        versions: [
          {
            name: 'v1',
            schema: {
              openAPIV3Schema: {
                properties: {
                  metadata: { type: 'object' },
                  roleRef: {
                    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'cannot change roleRef' }],
                  },
                },
              },
            },
          },
        ],
      },
    });
  });
  it('is refused without the kind, and without the property that a rule is on', () => {
    expect(() => schemaOfKind(document, kind.group, 'v2', kind.kind)).toThrow(/has no ClusterRoleBinding/);
    expect(() => schemaOfKind({}, kind.group, 'v1', kind.kind)).toThrow(/no schemas/);
    const { roleRef: _roleRef, ...properties } = schema.properties;
    const without = { components: { schemas: { X: { ...schema, properties } } } };
    expect(() => makeVirtualCrd(kind, 'v1', without)).toThrow(/no property roleRef/);
  });
});

describe('behaviour', () => {
  const behaviour = virtualBehaviour('rbac.authorization.k8s.io', 'clusterrolebindings');
  it('is there for virtual kinds alone', () => {
    expect(behaviour).toBeDefined();
    expect(virtualBehaviour('', 'pods')).toBeUndefined();
    expect(virtualBehaviour('__proto__', 'x')).toBeUndefined();
  });
  it('fills in groups, reads null as absent, and changes no argument', () => {
    const given = {
      roleRef: { kind: 'ClusterRole', name: 'x' },
      subjects: [{ kind: 'User', name: 'a', namespace: null }],
    };
    const before = structuredClone(given);
    const apiGroup = 'rbac.authorization.k8s.io';
    expect(behaviour?.withDefaults(given)).toEqual({
      roleRef: { kind: 'ClusterRole', name: 'x', apiGroup },
      subjects: [{ kind: 'User', name: 'a', apiGroup }],
    });
    expect(given).toEqual(before);
    expect(behaviour?.withDefaults({ metadata: { name: 'x' } })).toEqual({ metadata: { name: 'x' } });
  });
  it('refuses in the native kind’s words and patches', () => {
    expect(() => behaviour?.validate({ metadata: { name: 'x' } }, undefined, '')).toThrow(
      'ClusterRoleBinding.rbac.authorization.k8s.io "x" is invalid: [roleRef.kind: Unsupported value: "": supported values: "ClusterRole", roleRef.name: Required value]',
    );
    expect(behaviour?.strategicMerge({ metadata: { labels: { a: 'b' } } }, { metadata: { labels: null } })).toEqual({
      metadata: {},
    });
    expect(() => behaviour?.strategicMerge({}, { $setElementOrder: [] })).toThrow(
      expect.objectContaining({ code: 'ERR_BAD_REQUEST' }),
    );
  });
});
