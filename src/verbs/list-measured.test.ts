import { describe, expect, it } from 'vitest';
import { type Scripted, textOf } from '../../test/support/scripted-upstream.ts';
import { listOf, refusal, VerbLab } from '../../test/support/verb-lab.ts';
import { nameOf, namespaceOf } from '../k8s/meta.ts';
import { objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';

const ALL = '/apis/metrics.k8s.io/v1beta1/pods';
const NAMESPACES = 'GET /api/v1/namespaces?labelSelector=kubeveil.dev/tenant=acme';

function measured(namespace: string, name: string): JsonObject {
  return { metadata: { namespace, name }, timestamp: '2026-01-01T00:00:00Z', window: '10s', containers: [] };
}
function metricsIn(namespace: string, ...names: string[]): Scripted {
  const items = names.map((name) => measured(namespace, name));
  return {
    status: 200,
    body: { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items },
  };
}
function namespaces(...names: string[]): Scripted {
  const items = names.map((name) => ({ metadata: { name, labels: { 'kubeveil.dev/tenant': 'acme' } } }));
  return listOf('PartialObjectMetadataList', 50, items);
}
const of = (namespace: string) => `GET /apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;

describe('what pods of all namespaces use', () => {
  it('is asked of each namespace as the tenant, and has no revision', async () => {
    const lab = new VerbLab({
      [NAMESPACES]: namespaces('acme--web', 'acme--default'),
      [of('acme--default')]: metricsIn('acme--default', 'one'),
      [of('acme--web')]: metricsIn('acme--web', 'a', 'b'),
    });
    const { status, object } = await lab.ask('GET', ALL);
    expect(status).toBe(200);
    expect(object).toMatchObject({ kind: 'PodMetricsList', metadata: {} });
    expect(objects(object, 'items').map((item) => `${namespaceOf(item)}/${nameOf(item)}`)).toEqual([
      'default/one',
      'web/a',
      'web/b',
    ]);
    const asked = lab.upstream.requests.map(({ identity }) => identity.as);
    expect(asked).toEqual(['reader', 'tenant', 'tenant']);
  });

  it('holds nothing of another tenant’s, and asks for nothing in their namespaces', async () => {
    const lab = new VerbLab({
      [NAMESPACES]: namespaces('acme--default', 'globex--web'),
      [of('acme--default')]: { ...metricsIn('acme--default', 'one'), ...foreign() },
    });
    const { object } = await lab.ask('GET', ALL);
    expect(objects(object, 'items').map(nameOf)).toEqual(['one']);
  });

  it('selects by labels, and of one namespace by its name', async () => {
    const lab = new VerbLab((request) => {
      const text = textOf(request);
      return text.startsWith(NAMESPACES) ? namespaces('acme--web', 'acme--default') : metricsIn('acme--web', 'a');
    });
    await lab.ask('GET', `${ALL}?labelSelector=app%3Da&fieldSelector=metadata.namespace%3Dweb`);
    const [, ...parts] = lab.upstream.requests.map(textOf);
    expect(parts).toEqual([expect.stringMatching(/^GET \S+\/acme--web\/pods\?.*labelSelector=app=a/)]);
  });

  it('is nothing where the selector names no namespace of the tenant', async () => {
    const lab = new VerbLab((request) => {
      const text = textOf(request);
      return text.startsWith(NAMESPACES) ? namespaces('acme--default') : metricsIn('acme--default', 'one');
    });
    const { status, object } = await lab.ask('GET', `${ALL}?fieldSelector=metadata.namespace%3Dglobex--web`);
    expect({ status, items: object['items'] }).toEqual({ status: 200, items: [] });
  });

  it('is refused as upstream refuses it', async () => {
    const lab = new VerbLab({
      [NAMESPACES]: namespaces('acme--default'),
      [of('acme--default')]: refusal(503, 'ServiceUnavailable'),
    });
    expect(await lab.ask('GET', ALL)).toMatchObject({ status: 503 });
  });
});

describe('a measured kind', () => {
  it.each([
    ['GET', `${ALL}?watch=true`],
    ['DELETE', '/apis/metrics.k8s.io/v1beta1/namespaces/web/pods/a'],
  ])('has no other verb: %s %s', async (method, target) => {
    const lab = new VerbLab({});
    expect(lab.call(method, target).at.kind.verbs).toEqual(['get', 'list']);
  });
});

function foreign(): Pick<Scripted, 'body'> {
  const items = [measured('acme--default', 'one'), measured('globex--web', 'theirs')];
  return { body: { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items } };
}
