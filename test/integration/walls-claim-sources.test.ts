/**
 * What a claim is filled from, on a host that lets claims name sources of other namespaces: those of the tenant, and nobody
 * else's. A control plane of its own, since that is switched off by default, and the API server then forgets the namespace.
 * @see deploy/57-wall-claims.yaml
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#cross-namespace-data-sources
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { child, text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import { factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/processes.ts';
import { ACME, expectDone, expectRefused, GLOBEX, prepareWalls, type Walls } from '../support/walls.ts';

const NAMESPACE = `/api/v1/namespaces/${ACME}--default`;
const CLAIMS = `${NAMESPACE}/persistentvolumeclaims`;
const PODS = `${NAMESPACE}/pods`;
const SWITCHED_ON = { 'kube-apiserver': ['--feature-gates=CrossNamespaceVolumeDataSource=true'] };
const REFUSAL = /spec\.dataSourceRef\.namespace is not one of the tenant's own/;

const stack = new AsyncDisposableStack();
let walls: Walls;
beforeAll(async () => {
  const plane = stack.use(await startPrivateControlPlane({ extraArgs: SWITCHED_ON, nodes: 0 }));
  walls = stack.use(await prepareWalls(factsOf(plane)));
});
afterAll(() => stack.disposeAsync());

function spec(namespace?: string): object {
  const source = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'nightly', namespace };
  return {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'none-such',
    dataSourceRef: source,
  };
}
function claim(name: string, namespace?: string): object {
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec: spec(namespace) };
}

describe('claims are filled from', () => {
  it('what is in a namespace of their tenant', async () => {
    expectDone(await walls.acme('POST', CLAIMS, { body: claim('here') }));
    const made = await walls.acme('POST', CLAIMS, { body: claim('near', `${ACME}--web`) });
    expectDone(made);
    // The API server forgets it where the host has no such feature, and nothing would be refused here.
    expect(text(child(child(made.body as JsonObject, 'spec'), 'dataSourceRef'), 'namespace')).toBe(`${ACME}--web`);
  });

  it.each([`${GLOBEX}--web`, 'kube-system', ACME])('nothing in the namespace %s', async (namespace) => {
    expectRefused(await walls.acme('POST', CLAIMS, { body: claim('far', namespace) }), REFUSAL);
  });

  it('nothing of others by the template of a pod, either', async () => {
    const pod = (name: string, namespace: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        containers: [{ name: 'a', image: 'a', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec: spec(namespace) } } }],
      },
    });
    expectDone(await walls.acme('POST', PODS, { body: pod('near', `${ACME}--web`) }));
    expectDone(await walls.acme('POST', PODS, { body: pod('far', `${GLOBEX}--web`) }));
    await eventually('the claim from the tenant’s own is made', async () => {
      return (await walls.admin('GET', `${CLAIMS}/near-data`)).status === 200;
    });
    await eventually('the other one is refused', async () => {
      const { body } = await walls.admin('GET', `${NAMESPACE}/events`);
      const { items } = body as unknown as { items: { message?: string }[] };
      return items.some(({ message = '' }) => message.includes('far-data') && REFUSAL.test(message));
    });
    expect((await walls.admin('GET', `${CLAIMS}/far-data`)).status).toBe(404);
  });
});
