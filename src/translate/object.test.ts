import { describe, expect, it } from 'vitest';
import { kindAt, kindsOf, scopeOf } from '../../test/support/translate-scope.ts';
import { parseJson, stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { JsonObject } from '../k8s/types.ts';
import { NotOurs, toTenant, toUpstream } from './object.ts';
import { treeOf } from './tree.ts';

const ACME = scopeOf('acme');

function up(key: string, object: JsonObject, version?: string): JsonObject {
  return toUpstream(object, kindAt(ACME, key, version), ACME);
}

function down(key: string, object: JsonObject, version?: string): JsonObject {
  return toTenant(object, kindAt(ACME, key, version), ACME);
}

function refusal(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the table', () => {
  it('has only references that the translator knows', () => {
    for (const { kind } of kindsOf(ACME)) {
      for (const subresource of ['', ...Object.keys(kind.subresources)]) {
        expect(treeOf(kind, subresource)).toBe(treeOf(kind, subresource));
      }
    }
  });
});

describe('the last manifest of an apply', () => {
  const note = (apiVersion: string, kind: string) =>
    JSON.stringify({ apiVersion, kind, metadata: { name: 'a', namespace: 'acme--web' } });
  const shown = (key: string, apiVersion: string, kind: string, written: string, version?: string) => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': note(written, kind) };
    const metadata = { name: 'a', namespace: 'acme--web', annotations };
    return JSON.stringify(down(key, { apiVersion, kind, metadata }, version));
  };

  it.each([
    [
      'another version',
      'autoscaling/horizontalpodautoscalers',
      'autoscaling/v1',
      'HorizontalPodAutoscaler',
      'autoscaling/v2',
    ],
    ['another group', '/events', 'v1', 'Event', 'events.k8s.io/v1'],
    ['the same version', '/configmaps', 'v1', 'ConfigMap', 'v1'],
    [
      'a version that is served no more',
      'autoscaling/horizontalpodautoscalers',
      'autoscaling/v1',
      'HorizontalPodAutoscaler',
      'autoscaling/v2beta2',
    ],
    [
      'a version of the tenant’s own kind',
      'stable.example.com/widgets',
      'acme--stable.example.com/v1',
      'Widget',
      'acme--stable.example.com/v9',
    ],
  ])('is in the tenant’s terms where it was written in %s', (_what, key, apiVersion, kind, written) => {
    const text = shown(key, apiVersion, kind, written, apiVersion.split('/').at(-1));
    expect(text).not.toContain('acme--');
    expect(text).toContain(written.replace('acme--', ''));
  });
});

describe('going up', () => {
  it('puts a namespaced object into the tenant’s namespace and changes nothing else', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'web' },
      data: { x: 'web' },
    };
    expect(up('/configmaps', object)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'acme--web' },
      data: { x: 'web' },
    });
  });

  it('takes a name that looks mapped for what it is: a name', () => {
    expect(up('/namespaces', { metadata: { name: 'acme--web' } })).toMatchObject({
      metadata: { name: 'acme--acme--web' },
    });
    expect(up('/configmaps', { metadata: { name: 'a', namespace: 'globex--web' } })).toMatchObject({
      metadata: { namespace: 'acme--globex--web' },
    });
  });

  it('labels what is cluster-scoped and the tenant’s own', () => {
    expect(up('/namespaces', { metadata: { name: 'web' } })).toEqual({
      metadata: { name: 'acme--web', labels: { 'kubeveil.dev/tenant': 'acme' } },
    });
    expect(up('stable.example.com/gadgets', { metadata: { name: 'g' } })).toEqual({ metadata: { name: 'g' } });
  });

  it('stores virtual kinds in their own group, also when the body does not say what it is', () => {
    const upstream = up('rbac.authorization.k8s.io/clusterroles', { metadata: { name: 'system:node' }, rules: [] });
    expect(upstream).toEqual({
      apiVersion: 'virtual.kubeveil.dev/v1',
      kind: 'ClusterRole',
      metadata: { name: 'acme--x--system03anode', labels: { 'kubeveil.dev/tenant': 'acme' } },
      rules: [],
    });
    expect(down('rbac.authorization.k8s.io/clusterroles', upstream)).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'system:node' },
      rules: [],
    });
  });

  it('prefixes groups of CRDs and of their objects', () => {
    const crd = {
      metadata: { name: 'foos.stable.example.com' },
      spec: { group: 'stable.example.com', names: { plural: 'foos' } },
    };
    expect(up('apiextensions.k8s.io/customresourcedefinitions', crd)).toMatchObject({
      metadata: { name: 'foos.acme--stable.example.com' },
      spec: { group: 'acme--stable.example.com', names: { plural: 'foos' } },
    });
    const widget = { apiVersion: 'stable.example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'web' } };
    expect(up('stable.example.com/widgets', widget)).toMatchObject({ apiVersion: 'acme--stable.example.com/v1' });
  });

  it('keeps every digit and every strange key', () => {
    const text =
      '{"metadata":{"name":"w","namespace":"web"},"spec":{"big":9223372036854775807,"one":1.0,"__proto__":{"x":1}}}';
    const at = kindAt(ACME, 'stable.example.com/widgets');
    const upstream = stringifyJson(toUpstream(parseJson(text) as JsonObject, at, ACME));
    expect(upstream).toBe(text.replace('"web"', '"acme--web"'));
    expect(stringifyJson(toTenant(parseJson(upstream) as JsonObject, at, ACME))).toBe(text);
  });

  it('refuses another apiVersion than the request’s, in the API server’s words', () => {
    const error = refusal(() => up('apps/deployments', { apiVersion: 'apps/v1beta1', kind: 'Deployment' }));
    expect(error.status).toBe(400);
    expect(error.message).toBe(
      'the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)',
    );
    expect(up('apps/deployments', { apiVersion: 'apps/v1' })).toEqual({ apiVersion: 'apps/v1' });
    expect(refusal(() => up('stable.example.com/widgets', { apiVersion: 'acme--stable.example.com/v1' })).status).toBe(
      400,
    );
  });

  it.each([
    ['labels', { 'kubeveil.dev/tenant': 'globex' }],
    ['annotations', { 'kubeveil.dev/x': 'y' }],
    ['finalizers', ['kubeveil.dev/guard']],
  ])('refuses %s that are the proxy’s own', (field, value) => {
    const error = refusal(() => up('/configmaps', { metadata: { name: 'a', namespace: 'web', [field]: value } }));
    expect(error.status).toBe(422);
    expect(error.message).toContain('ConfigMap "a" is invalid: metadata.');
    expect(error.details?.causes?.[0]).toMatchObject({ reason: 'FieldValueForbidden' });
  });

  it('lets other labels, annotations and finalizers through', () => {
    const metadata = {
      name: 'a',
      namespace: 'web',
      labels: { 'example.com/kubeveil.dev': 'x' },
      finalizers: ['a.b/c'],
    };
    expect(up('/configmaps', { metadata })).toMatchObject({
      metadata: { labels: { 'example.com/kubeveil.dev': 'x' } },
    });
  });

  it('leaves a body without usable metadata for upstream to refuse', () => {
    for (const metadata of ['x', 7, [], parseJson('9223372036854775807')]) {
      expect(up('/configmaps', { metadata } as JsonObject)).toEqual({ metadata });
    }
  });

  it('always asks for the tenant’s audience, never for the host’s', () => {
    const at = kindAt(ACME, '/serviceaccounts');
    const token = (spec?: JsonObject) => toUpstream(spec === undefined ? {} : { spec }, at, ACME, 'token')['spec'];
    const own = ['kubeveil.dev/acme-uid'];
    expect(token()).toEqual({ audiences: own });
    expect(token({})).toEqual({ audiences: own });
    expect(token({ audiences: [] })).toEqual({ audiences: own });
    expect(token({ audiences: null })).toEqual({ audiences: own });
    expect(token({ audiences: ['https://kubernetes.default.svc.cluster.local'] })).toEqual({ audiences: own });
    expect(token({ audiences: ['vault', 'api'] })).toEqual({ audiences: [`${own[0]}/vault`, ...own] });
  });
});

describe('going down', () => {
  const pod = (metadata: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...metadata },
  });

  it('refuses what is not the tenant’s', () => {
    for (const namespace of ['globex--web', 'kube-system', 'acme', 'acme-', 'acme-eu--web', 'acme--', '']) {
      expect(() => down('/pods', pod({ namespace }))).toThrow(NotOurs);
    }
    expect(() => down('/pods', pod({}))).toThrow(NotOurs);
    expect(() => down('/pods', { apiVersion: 'v1', kind: 'Pod' })).toThrow(NotOurs);
    expect(down('/pods', pod({ namespace: 'acme--web' }))).toEqual(pod({ namespace: 'web' }));
  });

  it('wants label and prefix of what is cluster-scoped', () => {
    const namespace = (name: string, label?: string): JsonObject => ({
      metadata: { name, ...(label === undefined ? {} : { labels: { 'kubeveil.dev/tenant': label } }) },
    });
    expect(down('/namespaces', namespace('acme--web', 'acme'))).toEqual({ metadata: { name: 'web' } });
    expect(() => down('/namespaces', namespace('acme--web'))).toThrow(NotOurs);
    expect(() => down('/namespaces', namespace('acme--web', 'globex'))).toThrow(NotOurs);
    expect(() => down('/namespaces', namespace('globex--web', 'acme'))).toThrow(NotOurs);
    expect(() => down('/namespaces', namespace('kube-system', 'acme'))).toThrow(NotOurs);
  });

  it('refuses an object of another kind or group than was asked for', () => {
    expect(() => down('/pods', { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'acme--web' } })).toThrow(
      NotOurs,
    );
    const widget = (group: string) => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { namespace: 'acme--web' },
    });
    expect(() => down('stable.example.com/widgets', widget('globex--stable.example.com'))).toThrow(NotOurs);
    expect(down('stable.example.com/widgets', widget('acme--stable.example.com'))['apiVersion']).toBe(
      'stable.example.com/v1',
    );
  });

  it('hides what is ours and keeps the rest, with the empty maps that were there', () => {
    const object = pod({
      namespace: 'acme--web',
      labels: { 'kubeveil.dev/x': '1', app: 'a' },
      annotations: { 'kubeveil.dev/y': '1' },
      finalizers: ['kubeveil.dev/guard', 'example.com/x'],
      selfLink: '/api/v1/namespaces/acme--web/pods/p',
    });
    expect(down('/pods', object)['metadata']).toEqual({
      name: 'p',
      namespace: 'web',
      labels: { app: 'a' },
      finalizers: ['example.com/x'],
    });
    expect(down('/pods', pod({ namespace: 'acme--web', labels: {} }))['metadata']).toHaveProperty('labels', {});
  });

  it('takes a partial object for its metadata', () => {
    const partial = {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a', namespace: 'acme--web' },
    };
    expect(down('/pods', partial)).toEqual({ ...partial, metadata: { name: 'a', namespace: 'web' } });
  });

  it('takes the body of a subresource for what it is', () => {
    const scale = (namespace: string) => ({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'd', namespace },
      spec: { replicas: 2 },
    });
    expect(down('apps/deployments', scale('acme--web'))).toEqual(scale('web'));
    expect(() => down('apps/deployments', scale('globex--web'))).toThrow(NotOurs);
    expect(() => down('/configmaps', scale('acme--web'))).toThrow(NotOurs);
  });

  it('shows of published objects only what is published', () => {
    const node = {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: {
        name: 'n1',
        labels: { zone: 'a', 'kubeveil.dev/pool': 'x' },
        annotations: { secret: 'of the host' },
        ownerReferences: [{ kind: 'Machine' }],
        managedFields: [{ manager: 'globex-operator' }],
      },
      spec: { unschedulable: true },
      status: { images: [{ names: ['registry.example.com/globex/app'] }], capacity: { cpu: '4' } },
    };
    expect(down('/nodes', node)).toEqual({
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name: 'n1', labels: { zone: 'a' } },
      spec: { unschedulable: true },
      status: { capacity: { cpu: '4' } },
    });
  });

  it('shows a volume to the tenant whose claim it is bound to', () => {
    const volume = (namespace?: string): JsonObject => ({
      metadata: { name: 'pvc-1' },
      spec: namespace === undefined ? {} : { claimRef: { kind: 'PersistentVolumeClaim', namespace, name: 'data' } },
    });
    expect(down('/persistentvolumes', volume('acme--web'))).toMatchObject({ spec: { claimRef: { namespace: 'web' } } });
    expect(() => down('/persistentvolumes', volume('globex--web'))).toThrow(NotOurs);
    expect(() => down('/persistentvolumes', volume('default'))).toThrow(NotOurs);
    expect(() => down('/persistentvolumes', volume())).toThrow(NotOurs);
  });

  it('maps the other versions of a kind', () => {
    const hpa = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h', namespace: 'acme--web' },
    };
    expect(down('autoscaling/horizontalpodautoscalers', hpa, 'v1')['apiVersion']).toBe('autoscaling/v1');
    expect(() => down('autoscaling/horizontalpodautoscalers', { ...hpa, apiVersion: 'autoscaling/v2' }, 'v1')).toThrow(
      NotOurs,
    );
  });
});
