import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonValue } from '../k8s/types.ts';
import { NeedsLiveObject, patchToUpstream } from './patch.ts';

const ACME = scopeOf('acme');
const OWN = { 'kubeveil.dev/tenant': 'acme' };

function json(key: string, ...operations: JsonValue[]): JsonValue {
  return patchToUpstream(operations, 'application/json-patch+json', kindAt(ACME, key), ACME);
}

describe('JSON patches', () => {
  it.each<[string, JsonValue, JsonValue]>([
    [
      '/pods',
      { op: 'add', path: '/metadata/labels/a~1b', value: 'c' },
      { op: 'add', path: '/metadata/labels/a~1b', value: 'c' },
    ],
    ['/pods', { op: 'remove', path: '/metadata/labels' }, { op: 'remove', path: '/metadata/labels' }],
    [
      '/resourcequotas',
      { op: 'test', path: '/spec/hard/configmaps', value: '5' },
      { op: 'test', path: '/spec/hard/configmaps', value: '6' },
    ],
    [
      '/resourcequotas',
      { op: 'add', path: '/spec/hard/count~1configmaps', value: '5' },
      { op: 'add', path: '/spec/hard/count~1configmaps', value: '6' },
    ],
    [
      '/resourcequotas',
      { op: 'replace', path: '/spec/hard', value: { configmaps: '5', pods: '5' } },
      { op: 'replace', path: '/spec/hard', value: { configmaps: '6', pods: '5' } },
    ],
    [
      '/namespaces',
      { op: 'add', path: '/metadata/labels', value: { a: 'b' } },
      { op: 'add', path: '/metadata/labels', value: { a: 'b', ...OWN } },
    ],
    [
      '/namespaces',
      { op: 'replace', path: '/metadata/annotations/scheduler.alpha.kubernetes.io~1node-selector', value: 'a=b' },
      { op: 'replace', path: '/metadata/annotations/scheduler.alpha.kubernetes.io.inert~1node-selector', value: 'a=b' },
    ],
    [
      '/namespaces',
      { op: 'test', path: '/metadata/name', value: 'web' },
      { op: 'test', path: '/metadata/name', value: 'acme--web' },
    ],
    [
      '/namespaces',
      { op: 'test', path: '/metadata/labels/kubernetes.io~1metadata.name', value: 'web' },
      { op: 'test', path: '/metadata/labels/kubernetes.io~1metadata.name', value: 'acme--web' },
    ],
    [
      '/pods',
      { op: 'test', path: '/metadata/namespace', value: 'web' },
      { op: 'test', path: '/metadata/namespace', value: 'acme--web' },
    ],
    [
      '/resourcequotas',
      { op: 'replace', path: '/spec/hard/count~1a.stable.example.com', value: '5' },
      { op: 'replace', path: '/spec/hard/count~1a.acme--stable.example.com', value: '5' },
    ],
    [
      '/resourcequotas',
      { op: 'add', path: '/spec/hard', value: { 'count/a.stable.example.com': '5' } },
      { op: 'add', path: '/spec/hard', value: { 'count/a.acme--stable.example.com': '5' } },
    ],
    [
      'rbac.authorization.k8s.io/rolebindings',
      { op: 'add', path: '/subjects/-', value: { kind: 'User', name: 'a' } },
      { op: 'add', path: '/subjects/-', value: { kind: 'User', name: 'kubeveil.inert/acme/User/a' } },
    ],
    [
      'rbac.authorization.k8s.io/rolebindings',
      { op: 'replace', path: '/subjects', value: [] },
      { op: 'replace', path: '/subjects', value: [] },
    ],
    [
      'networking.k8s.io/networkpolicies',
      { op: 'add', path: '/spec', value: { ingress: [{ from: [{ namespaceSelector: {} }] }] } },
      { op: 'add', path: '/spec', value: { ingress: [{ from: [{ namespaceSelector: { matchLabels: OWN } }] }] } },
    ],
    [
      '/configmaps',
      { op: 'move', from: '/data/a', path: '/data/acme--b' },
      { op: 'move', from: '/data/a', path: '/data/acme--b' },
    ],
    [
      'apps/deployments',
      { op: 'add', path: '/spec/template/metadata/annotations/a', value: 'b' },
      { op: 'add', path: '/spec/template/metadata/annotations/a', value: 'b' },
    ],
    [
      '/persistentvolumeclaims',
      { op: 'replace', path: '/spec/dataSourceRef/namespace', value: 'web' },
      { op: 'replace', path: '/spec/dataSourceRef/namespace', value: 'acme--web' },
    ],
    [
      'stable.example.com/widgets',
      { op: 'test', path: '/apiVersion', value: 'stable.example.com/v1' },
      { op: 'test', path: '/apiVersion', value: 'acme--stable.example.com/v1' },
    ],
    [
      '/pods',
      { op: 'add', path: '/metadata/ownerReferences/0', value: { apiVersion: 'v1', kind: 'Namespace', name: 'web' } },
      {
        op: 'add',
        path: '/metadata/ownerReferences/0',
        value: { apiVersion: 'v1', kind: 'Namespace', name: 'acme--web' },
      },
    ],
    [
      '/pods',
      { op: 'replace', path: '/metadata/finalizers', value: ['a.b/c'] },
      { op: 'replace', path: '/metadata/finalizers', value: ['a.b/c'] },
    ],
    [
      '/configmaps',
      { op: 'add', path: '/data/__proto__', value: 'x' },
      { op: 'add', path: '/data/__proto__', value: 'x' },
    ],
  ])('%s: %j is upstream %j', (key, operation, upstream) => {
    expect(json(key, structuredClone(operation))).toEqual([upstream]);
  });

  it.each<[string, JsonValue]>([
    ['/namespaces', { op: 'remove', path: '/metadata/labels' }],
    ['/namespaces', { op: 'remove', path: '/metadata/annotations' }],
    ['/namespaces', { op: 'replace', path: '/metadata/finalizers/0', value: 'a.b/c' }],
    ['/namespaces', { op: 'replace', path: '/metadata/labels', value: null }],
    ['/pods', { op: 'remove', path: '/metadata' }],
    ['/pods', { op: 'replace', path: '', value: {} }],
    ['/pods', { op: 'copy', from: '/metadata/namespace', path: '/metadata/labels/a' }],
    ['/namespaces', { op: 'copy', from: '/metadata/labels', path: '/metadata/annotations' }],
    ['/namespaces', { op: 'copy', from: '/metadata', path: '/x' }],
    ['rbac.authorization.k8s.io/rolebindings', { op: 'replace', path: '/subjects/0/name', value: 'a' }],
    ['rbac.authorization.k8s.io/rolebindings', { op: 'copy', from: '/subjects/0', path: '/subjects/1' }],
    ['rbac.authorization.k8s.io/rolebindings', { op: 'replace', path: '/roleRef/name', value: 'a' }],
    [
      'networking.k8s.io/networkpolicies',
      { op: 'remove', path: '/spec/ingress/0/from/0/namespaceSelector/matchLabels' },
    ],
    [
      'networking.k8s.io/networkpolicies',
      { op: 'remove', path: '/spec/ingress/-1/from/-1/namespaceSelector/matchLabels' },
    ],
    ['/pods', { op: 'test', path: '/status/conditions', value: [] }],
    ['/pods', { op: 'test', path: '/status/conditions/0/message', value: 'web' }],
  ])('%s: %j needs the object', (key, operation) => {
    expect(() => json(key, operation)).toThrow(NeedsLiveObject);
  });

  it.each<[string, JsonValue]>([
    ['/namespaces', { op: 'replace', path: '/metadata/labels/kubeveil.dev~1tenant', value: 'globex' }],
    ['/namespaces', { op: 'remove', path: '/metadata/labels/kubeveil.dev~1tenant' }],
    ['/namespaces', { op: 'add', path: '/metadata/labels', value: { 'kubeveil.dev/tenant': 'globex' } }],
    ['/namespaces', { op: 'copy', from: '/metadata/labels/kubeveil.dev~1tenant', path: '/metadata/labels/x' }],
    ['/pods', { op: 'add', path: '/metadata/finalizers/-', value: 'kubeveil.dev/x' }],
    ['apps/deployments', { op: 'add', path: '/spec/template/metadata/labels/kubeveil.dev~1x', value: 'y' }],
  ])('%s: %j is refused', (key, operation) => {
    expect(() => json(key, operation)).toThrow('Forbidden');
  });

  it.each<JsonValue>([
    'x',
    null,
    {},
    { op: 'add' },
    { op: 'add', path: 'metadata/labels/kubeveil.dev~1tenant', value: 'x' },
    { op: 'ADD', path: '/a', value: 1 },
    { op: 'move', path: '/a' },
    { op: 'add', path: 7, value: 1 },
  ])('%j is no operation', (operation) => {
    expect(() => json('/pods', operation)).toThrow('the server rejected our request');
  });

  it('without a value write null, as everywhere', () => {
    expect(json('/pods', { op: 'add', path: '/spec/x' })).toEqual([{ op: 'add', path: '/spec/x', value: null }]);
  });

  it('pass on nothing but what they are made of', () => {
    expect(json('/pods', { op: 'remove', path: '/spec/x', value: 'globex', extra: 1 })).toEqual([
      { op: 'remove', path: '/spec/x' },
    ]);
  });
});
