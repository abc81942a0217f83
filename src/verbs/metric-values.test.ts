import { describe, expect, it } from 'vitest';
import type { Scripted } from '../../test/support/scripted-upstream.ts';
import { refusal, VerbLab } from '../../test/support/verb-lab.ts';
import { ApiError } from '../errors.ts';
import { child, objects, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';

const API = '/apis/custom.metrics.k8s.io';
const V2 = `${API}/v1beta2`;
const OF_PODS = `${V2}/namespaces/web/pods/*/requests`;
const AT_HOST = `GET ${V2}/namespaces/acme--web/pods/*/requests`;

function value(described: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    describedObject: { kind: 'Pod', namespace: 'acme--web', apiVersion: '/v1', ...described },
    metric: { name: 'requests', selector: null },
    timestamp: '2026-01-01T00:00:00Z',
    value: '300m',
    ...more,
  };
}
function told(...items: JsonObject[]): Scripted {
  const metadata = { selfLink: `${V2}/namespaces/acme--web/pods/%2A/requests` };
  return {
    status: 200,
    body: { kind: 'MetricValueList', apiVersion: 'custom.metrics.k8s.io/v1beta2', metadata, items },
  };
}
async function refused(lab: VerbLab, target: string): Promise<ApiError> {
  const error = await lab.ask('GET', target).catch((thrown: unknown) => thrown);
  if (error instanceof ApiError) return error;
  throw new Error(`${target} was not refused`);
}
function names({ object }: { object: JsonObject }): string[] {
  return objects(object, 'items').map((item) => text(child(item, 'describedObject'), 'name'));
}

describe('a metric of a tenant’s objects', () => {
  it('is asked for in its own namespace, as the tenant', async () => {
    const lab = new VerbLab({ [AT_HOST]: told(value({ name: 'a' }), value({ name: 'b' })) });
    const { status, object } = await lab.ask('GET', OF_PODS);
    expect(status).toBe(200);
    expect(object).toEqual({
      kind: 'MetricValueList',
      apiVersion: 'custom.metrics.k8s.io/v1beta2',
      metadata: {},
      items: ['a', 'b'].map((name) => ({
        describedObject: { kind: 'Pod', namespace: 'web', name, apiVersion: 'v1' },
        metric: { name: 'requests', selector: null },
        timestamp: '2026-01-01T00:00:00Z',
        value: '300m',
      })),
    });
    expect(lab.upstream.requests.map(({ identity }) => identity.as)).toEqual(['tenant']);
  });

  it('is told at the older version in its fields', async () => {
    const { metric: _, ...shared } = value({ name: 'a' });
    const older = { ...shared, metricName: 'requests', window: 60, selector: { matchLabels: { at: 'globex--web' } } };
    const target = `${API}/v1beta1/namespaces/web/pods/a/requests`;
    const at = `GET ${API}/v1beta1/namespaces/acme--web/pods/a/requests?metricLabelSelector=code=500,verb`;
    const lab = new VerbLab({ [at]: told(older) });
    const { object } = await lab.ask('GET', `${target}?metricLabelSelector=code%3D500%2Cverb`);
    expect(object['items']).toEqual([
      {
        describedObject: { kind: 'Pod', namespace: 'web', name: 'a', apiVersion: 'v1' },
        metricName: 'requests',
        timestamp: '2026-01-01T00:00:00Z',
        window: 60,
        value: '300m',
        selector: { matchLabels: { code: '500' }, matchExpressions: [{ key: 'verb', operator: 'Exists' }] },
      },
    ]);
  });

  it.each([
    ['deployments.apps', 'deployments.apps', 'Deployment', 'apps/v1', 'apps/v1'],
    [
      'widgets.stable.example.com',
      'widgets.acme--stable.example.com',
      'Widget',
      'acme--stable.example.com/v1',
      'stable.example.com/v1',
    ],
  ])('may be of %s, by their group', async (mine, upstream, kind, apiVersion, shown) => {
    const at = `GET ${V2}/namespaces/acme--web/${upstream}/one/requests`;
    const lab = new VerbLab({ [at]: told(value({ kind, apiVersion, name: 'one' })) });
    const { object } = await lab.ask('GET', `${V2}/namespaces/web/${mine}/one/requests`);
    expect(objects(object, 'items').map((item) => item['describedObject'])).toEqual([
      { kind, namespace: 'web', name: 'one', apiVersion: shown },
    ]);
  });

  it('may be of the namespace itself', async () => {
    const it = value({ kind: 'Namespace', name: 'acme--web', namespace: '' });
    const lab = new VerbLab({ [`GET ${V2}/namespaces/acme--web/metrics/requests`]: told(it) });
    const { object } = await lab.ask('GET', `${V2}/namespaces/web/metrics/requests`);
    expect(objects(object, 'items').map((item) => item['describedObject'])).toEqual([
      { kind: 'Namespace', name: 'web', apiVersion: 'v1' },
    ]);
  });

  it('has any name', async () => {
    for (const metric of ['exec', 'log', 'proxy', 'status', 'acme--web', 'a|b']) {
      const it = value({ name: 'a' }, { metric: { name: metric, selector: null } });
      const encoded = encodeURIComponent(metric);
      const lab = new VerbLab({ [`GET ${V2}/namespaces/acme--web/pods/a/${encoded}`]: told(it) });
      expect(names(await lab.ask('GET', `${V2}/namespaces/web/pods/a/${encoded}`))).toEqual(['a']);
    }
  });

  it('is of the objects that labels select, and by labels of its own', async () => {
    const lab = new VerbLab({
      [`${AT_HOST}?labelSelector=app=a&metricLabelSelector=code!=500`]: told(value({ name: 'a' })),
    });
    const query =
      'labelSelector=app%3Da%2C!kubeveil.dev/x&metricLabelSelector=code!%3D500&fieldSelector=metadata.name%3Dz';
    expect(names(await lab.ask('GET', `${OF_PODS}?${query}`))).toEqual(['a']);
  });

  it('is of none where labels of ours are to select', async () => {
    const lab = new VerbLab((request) => {
      expect(request.query?.find(([name]) => name === 'labelSelector')?.[1]).toMatch(/kubeveil/);
      return told();
    });
    expect(names(await lab.ask('GET', `${OF_PODS}?labelSelector=kubeveil.dev/tenant%3Dglobex`))).toEqual([]);
  });
});

describe('what an adapter tells besides', () => {
  it.each<[string, JsonObject]>([
    ['of another tenant', value({ name: 'a', namespace: 'globex--web' })],
    ['of another namespace', value({ name: 'a', namespace: 'acme--default' })],
    ['of no namespace', value({ name: 'a', namespace: '' })],
    ['of the tenant’s own terms', value({ name: 'a', namespace: 'web' })],
    ['of another kind', value({ name: 'a', kind: 'Node' })],
    ['of another group', value({ name: 'a', apiVersion: 'globex--stable.example.com/v1' })],
    ['of no name', value({})],
    ['of a guard', value({ name: 'kubeveil:guard' })],
    ['of nothing', { ...value({}), describedObject: null }],
    ['by another metric', value({ name: 'a' }, { metric: { name: 'globex--requests' } })],
    ['that is no quantity', value({ name: 'a' }, { value: 'globex--web' })],
    ['that is a number', value({ name: 'a' }, { value: 3 })],
  ])('is left out: a value %s', async (_what, odd) => {
    const lab = new VerbLab({ [AT_HOST]: told(odd, value({ name: 'b' })) });
    expect(names(await lab.ask('GET', OF_PODS))).toEqual(['b']);
    expect(lab.leftOut.length).toBe(1);
  });

  it('is not shown: fields that no value has, and odd ones', async () => {
    const odd = value(
      { name: 'a', uid: 'globex--uid', fieldPath: 'globex--web' },
      {
        timestamp: 'globex--web',
        windowSeconds: 'globex--web',
        more: 'globex--web',
        metric: { name: 'requests', selector: { matchLabels: { at: 'globex--web' } } },
      },
    );
    const lab = new VerbLab({ [AT_HOST]: told(odd) });
    const { object } = await lab.ask('GET', OF_PODS);
    expect(JSON.stringify(object)).not.toMatch(/globex|acme/);
    expect(objects(object, 'items')[0]).toMatchObject({ timestamp: null, metric: { name: 'requests', selector: {} } });
  });

  it('is not shown: of another object than the one that was named', async () => {
    const lab = new VerbLab({ [`GET ${V2}/namespaces/acme--web/pods/a/requests`]: told(value({ name: 'b' })) });
    const { status, message } = await refused(lab, `${V2}/namespaces/web/pods/a/requests`);
    expect({ status, message }).toEqual({
      status: 404,
      message: 'the server could not find the metric requests for pods a',
    });
  });

  it('is not shown: of another namespace', async () => {
    const theirs = value({ kind: 'Namespace', name: 'globex--web', namespace: '' });
    const lab = new VerbLab({ [`GET ${V2}/namespaces/acme--web/metrics/requests`]: told(theirs) });
    const { message } = await refused(lab, `${V2}/namespaces/web/metrics/requests`);
    expect(message).toBe('the server could not find the metric requests for namespaces web');
  });
});

describe('what is not measured for a tenant', () => {
  it.each([
    ['a kind that is cluster-scoped', 'nodes/one/cpu'],
    ['a namespace by its name', 'namespaces/default/cpu'],
    ['a cluster-scoped kind of its own', 'gadgets.stable.example.com/one/cpu'],
    ['a kind that is not there', 'nothings.apps/one/cpu'],
    ['a kind of another tenant', 'widgets.globex--stable.example.com/one/cpu'],
    ['its own kind by its upstream name', 'widgets.acme--stable.example.com/one/cpu'],
    ['what guards are made of', 'rolebindings.rbac.authorization.k8s.io/*/cpu'],
    ['what is measured itself', 'pods.metrics.k8s.io/one/cpu'],
    ['what the proxy answers', 'localsubjectaccessreviews.authorization.k8s.io/one/cpu'],
    ['a name that no object has', 'pods/a%7Cb/cpu'],
    ['a name of ours', 'pods/kubeveil:guard/cpu'],
  ])('is not asked for: %s', async (_what, rest) => {
    const lab = new VerbLab({});
    expect((await refused(lab, `${V2}/namespaces/web/${rest}`)).status).toBe(404);
  });

  it.each(['absent', 'pending'] as const)('is in no namespace that is %s', async (state) => {
    const lab = new VerbLab({}, { namespaces: { web: state as never } });
    expect((await refused(lab, OF_PODS)).message).toBe('the server could not find the metric requests for pods');
  });
});

describe('a refusal of the adapter', () => {
  it.each([
    [404, 404, 'the server could not find the metric requests for pods'],
    [403, 503, 'the server is currently unable to handle the request'],
    [500, 503, 'the server is currently unable to handle the request'],
    [503, 503, 'the server is currently unable to handle the request'],
    [429, 429, 'too many requests, please try again later'],
    [400, 400, 'the metric requests cannot be read in this way'],
  ])('of %i is told as %i, in none of its words', async (told, status, message) => {
    const lab = new VerbLab({
      [AT_HOST]: refusal(told, 'Any', 'no series at http://prometheus.host:9090 for globex--web'),
    });
    const error = await refused(lab, OF_PODS);
    expect({ status: error.status, message: error.message }).toEqual({ status, message });
  });

  it('that is no list of values is told as such', async () => {
    const lab = new VerbLab({ [AT_HOST]: { status: 200, body: { kind: 'PodList', apiVersion: 'v1', items: [] } } });
    expect((await refused(lab, OF_PODS)).status).toBe(502);
  });
});
