import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import { ApiError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { NeedsLiveObject, patchToUpstream } from './patch.ts';

const ACME = scopeOf('acme');
const UID = { 'kubeveil.dev/tenant-uid': 'acme-uid' };
const OWN = { 'kubeveil.dev/tenant': 'acme' };

function merge(key: string, patch: JsonObject): JsonValue {
  return patchToUpstream(patch, 'application/merge-patch+json', kindAt(ACME, key), ACME);
}

function strategic(key: string, patch: JsonObject): JsonValue {
  return patchToUpstream(patch, 'application/strategic-merge-patch+json', kindAt(ACME, key), ACME);
}

function apply(key: string, patch: JsonObject): JsonValue {
  return patchToUpstream(patch, 'application/apply-patch+yaml', kindAt(ACME, key), ACME);
}

describe('merge patches', () => {
  it('are mapped as the fragments they are, nulls and all', () => {
    const patch = { metadata: { name: 'web', labels: { a: null, b: 'c' } }, spec: { x: null } };
    expect(merge('/namespaces', patch)).toEqual({
      metadata: { name: 'acme--web', labels: { a: null, b: 'c' } },
      spec: { x: null },
    });
    expect(merge('/resourcequotas', { spec: { hard: { 'count/a.stable.example.com': null } } })).toEqual({
      spec: { hard: { 'count/a.acme--stable.example.com': null } },
    });
    expect(
      merge('networking.k8s.io/networkpolicies', { spec: { ingress: [{ from: [{ namespaceSelector: {} }] }] } }),
    ).toEqual({
      spec: { ingress: [{ from: [{ namespaceSelector: { matchLabels: OWN } }] }] },
    });
    expect(
      merge('rbac.authorization.k8s.io/clusterroles', { apiVersion: 'rbac.authorization.k8s.io/v1', rules: null }),
    ).toEqual({
      apiVersion: 'virtual.kubeveil.dev/v1',
      rules: null,
    });
  });

  it.each<JsonObject>([
    { metadata: { labels: null } },
    { metadata: { annotations: null } },
    { metadata: { finalizers: [] } },
    { metadata: { finalizers: null } },
    { metadata: null },
  ])('of a namespace, %j would drop what is ours, and needs the object', (patch) => {
    expect(() => merge('/namespaces', patch)).toThrow(NeedsLiveObject);
  });

  it('of other labelled kinds may clear all but the labels', () => {
    const key = 'rbac.authorization.k8s.io/clusterroles';
    expect(() => merge(key, { metadata: { labels: null } })).toThrow(NeedsLiveObject);
    const patch = { metadata: { annotations: null, finalizers: null } };
    expect(merge(key, structuredClone(patch))).toEqual(patch);
  });

  it('may clear the maps of objects that carry nothing of ours', () => {
    const patch = { metadata: { labels: null, finalizers: null } };
    expect(merge('/pods', structuredClone(patch))).toEqual(patch);
    expect(merge('stable.example.com/gadgets', structuredClone(patch))).toEqual(patch);
  });

  it('with a part of a reference need the object; with all of it they do not', () => {
    expect(() => merge('rbac.authorization.k8s.io/rolebindings', { roleRef: { name: 'view' } })).toThrow(
      NeedsLiveObject,
    );
    expect(
      merge('rbac.authorization.k8s.io/rolebindings', {
        roleRef: { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name: 'view' },
      }),
    ).toMatchObject({
      roleRef: { name: 'acme--view' },
    });
    expect(
      merge('autoscaling/horizontalpodautoscalers', {
        spec: { scaleTargetRef: { apiVersion: 'stable.example.com/v1' } },
      }),
    ).toEqual({
      spec: { scaleTargetRef: { apiVersion: 'acme--stable.example.com/v1' } },
    });
  });

  it.each<JsonObject>([
    { metadata: { labels: { 'kubeveil.dev/tenant': 'globex' } } },
    { metadata: { labels: { 'kubeveil.dev/tenant': null } } },
    { metadata: { annotations: { 'kubeveil.dev/x': 'y' } } },
  ])('%j is refused', (patch) => {
    expect(() => merge('/namespaces', patch)).toThrow('Forbidden');
  });

  it('may not be anything but an object', () => {
    expect(() => patchToUpstream([], 'application/merge-patch+json', kindAt(ACME, '/pods'), ACME)).toThrow(ApiError);
    expect(() => patchToUpstream({}, 'application/json-patch+json', kindAt(ACME, '/pods'), ACME)).toThrow(ApiError);
    expect(() => patchToUpstream({}, 'text/plain', kindAt(ACME, '/pods'), ACME)).toThrow('not supported');
    expect(merge('/pods', {})).toEqual({});
  });
});

describe('strategic merge patches', () => {
  it.each<[JsonObject, JsonObject]>([
    [{ labels: null }, { labels: { $patch: 'replace', ...OWN } }],
    [{ labels: { $patch: 'delete' } }, { labels: { $patch: 'replace', ...OWN } }],
    [{ labels: { $patch: 'replace', a: 'b' } }, { labels: { $patch: 'replace', a: 'b', ...OWN } }],
    [
      { labels: { $retainKeys: ['a'], a: 'b' } },
      { labels: { $retainKeys: ['a', 'kubeveil.dev/tenant'], a: 'b', ...OWN } },
    ],
    [{ labels: { a: 'b' } }, { labels: { a: 'b' } }],
    [{ annotations: null }, { annotations: { $patch: 'replace', ...UID } }],
    [{ annotations: { $patch: 'delete' } }, { annotations: { $patch: 'replace', ...UID } }],
    [{ annotations: { $patch: 'replace', a: 'b' } }, { annotations: { $patch: 'replace', a: 'b', ...UID } }],
    [{ annotations: { a: null } }, { annotations: { a: null } }],
    [{ finalizers: ['a.b/c'] }, { finalizers: ['a.b/c'] }],
    [{ '$deleteFromPrimitiveList/finalizers': ['a.b/c'] }, { '$deleteFromPrimitiveList/finalizers': ['a.b/c'] }],
  ])('of a namespace, %j keeps what is ours: %j', (metadata, upstream) => {
    expect(strategic('/namespaces', { metadata })).toEqual({ metadata: upstream });
  });

  it.each<JsonObject>([
    { $patch: 'replace', metadata: {} },
    { metadata: { $patch: 'replace' } },
    { metadata: { $retainKeys: ['name'] } },
    { metadata: { annotations: { $retainKeys: ['a'] } } },
    { metadata: { finalizers: null } },
  ])('%j would drop what is ours', (patch) => {
    expect(() => strategic('/namespaces', patch)).toThrow(NeedsLiveObject);
  });

  it('refuse finalizers of ours, in directives too', () => {
    for (const field of ['finalizers', '$deleteFromPrimitiveList/finalizers', '$setElementOrder/finalizers']) {
      expect(() => strategic('/namespaces', { metadata: { [field]: ['kubeveil.dev/guard'] } })).toThrow('Forbidden');
    }
  });

  it('map what directives hold', () => {
    const at = kindAt(ACME, '/pods');
    const odd = {
      ...at,
      kind: {
        ...at.kind,
        refs: [
          { path: 'spec.names[]', target: { is: 'namespace' as const } },
          { path: 'spec.items[].ns', target: { is: 'namespace' as const } },
        ],
      },
    };
    const patch = {
      spec: {
        '$setElementOrder/names': ['a', 'b'],
        '$deleteFromPrimitiveList/names': ['c'],
        '$setElementOrder/items': [{ ns: 'd' }],
        items: [{ $patch: 'delete', ns: 'e' }, { $patch: 'replace' }],
      },
    };
    expect(patchToUpstream(patch, 'application/strategic-merge-patch+json', odd, ACME)).toEqual({
      spec: {
        '$setElementOrder/names': ['acme--a', 'acme--b'],
        '$deleteFromPrimitiveList/names': ['acme--c'],
        '$setElementOrder/items': [{ ns: 'acme--d' }],
        items: [{ $patch: 'delete', ns: 'acme--e' }, { $patch: 'replace' }],
      },
    });
  });

  it('for a whole object pass where nothing of ours is in it', () => {
    expect(strategic('/configmaps', { $patch: 'replace', metadata: { namespace: 'web' } })).toEqual({
      $patch: 'replace',
      metadata: { namespace: 'acme--web' },
    });
  });

  it('leave containers and other keyed lists as they are', () => {
    const patch = {
      spec: {
        template: { spec: { containers: [{ name: 'a', image: 'b' }], '$setElementOrder/containers': [{ name: 'a' }] } },
      },
    };
    expect(strategic('apps/deployments', structuredClone(patch))).toEqual(patch);
  });
});

describe('apply patches', () => {
  it('always carry the label of what they may create', () => {
    expect(apply('/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } })).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'acme--web', labels: OWN },
    });
    expect(() => apply('/namespaces', { metadata: { name: '-web' } })).toThrow('metadata.name');
  });
});
