/**
 * What there is to leak: globex gets an object of every kind, full of canaries, and the host a namespace that is none of
 * any tenant's business. Everything goes the way that a user would go, so it is stored as the proxy stores it.
 */
import type { JsonObject } from '../../src/k8s/types.ts';
import { kindOf } from './api.ts';
import type { KubeObject } from './as-tenant.ts';
import { adminClient, type ControlPlaneFacts } from './control-plane.ts';
import { requestOnce } from './http.ts';
import { eventually } from './processes.ts';
import type { ProductFacts } from './product.ts';
import { samples } from './samples.ts';
import { CANARY, HOST_NAMESPACE } from './seed-words.ts';
import { virtualSamples } from './virtual-vectors.ts';

/** A name that acme uses too. */
const SHARED_NAMESPACE = 'web';

export async function seedGlobex(product: ProductFacts): Promise<void> {
  const { server, caPem } = product;
  const { certPem, keyPem } = product.globex;
  const create = async (path: string, object: JsonObject): Promise<void> => {
    const body = JSON.stringify(object);
    const answer = await requestOnce({ server, caPem, certPem, keyPem, method: 'POST', path, body });
    if (answer.status !== 201) throw new Error(`seeding globex: POST ${path}: ${answer.status} ${answer.text}`);
  };
  const namespaces = [CANARY, SHARED_NAMESPACE];
  for (const name of namespaces) await create('/api/v1/namespaces', marked({ ...named('v1', 'Namespace', name) }));
  for (const object of clusterScoped()) await create(kindOf(object).collection(), object);
  for (const object of virtualSamples(`${CANARY}-sample`)) await create(kindOf(object).collection(), marked(object));
  for (const namespace of namespaces) {
    for (const object of samples(namespace, `${CANARY}-sample`)) {
      await create(kindOf(object).collection(namespace), marked(withCanaryData(object)));
    }
  }
}

/**
 * Waits until the host's controllers are done with what was seeded: from then on nothing of globex changes by itself.
 * @throws when that does not happen
 */
export async function whenSeedRests(controlPlane: ControlPlaneFacts): Promise<void> {
  const host = adminClient(controlPlane);
  const all = async (path: string, done: (object: KubeObject) => boolean): Promise<boolean> => {
    // Not what the proxy keeps beside it.
    const { body } = await host.send('GET', `${path}?labelSelector=${encodeURIComponent('!kubeveil.dev/guard')}`);
    const items = (body as KubeObject).items.filter(({ metadata }: KubeObject) =>
      metadata.namespace.startsWith('globex--'),
    );
    return items.length > 0 && items.every(done);
  };
  await eventually('all that was seeded runs', async () => {
    const pods = await all('/api/v1/pods', ({ status }) => ['Running', 'Succeeded'].includes(status.phase));
    const jobs = await all('/apis/batch/v1/jobs', ({ status }) => status.succeeded === 1);
    const claims = await all('/api/v1/persistentvolumeclaims', ({ status }) => status.phase === 'Bound');
    const deployments = await all('/apis/apps/v1/deployments', ({ status }) => status.availableReplicas === 1);
    const quotas = await all('/api/v1/resourcequotas', ({ status }) => Number(status.used?.pods) > 5);
    return pods && jobs && claims && deployments && quotas;
  });
  host.close();
}

/** Something of the host's own that a careless list would show. */
export async function seedHost(controlPlane: ControlPlaneFacts): Promise<void> {
  const host = adminClient(controlPlane);
  await host.create('/api/v1/namespaces', named('v1', 'Namespace', HOST_NAMESPACE));
  for (const object of [
    { ...named('v1', 'ConfigMap', `of-${HOST_NAMESPACE}`), data: { key: HOST_NAMESPACE } },
    { ...named('v1', 'Secret', `of-${HOST_NAMESPACE}`), stringData: { key: HOST_NAMESPACE } },
  ]) {
    await host.create(kindOf(object).collection(HOST_NAMESPACE), object);
  }
  host.close();
}

function clusterScoped(): JsonObject[] {
  const rbac = 'rbac.authorization.k8s.io';
  const group = `${CANARY}.example.com`;
  return [
    marked({
      ...named(`${rbac}/v1`, 'ClusterRole', `${CANARY}-reader`),
      rules: [{ apiGroups: [group], resources: [CANARY], verbs: ['get'] }],
    }),
    marked({
      ...named(`${rbac}/v1`, 'ClusterRoleBinding', `${CANARY}-readers`),
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: `${CANARY}-reader` },
      subjects: [{ kind: 'Group', apiGroup: rbac, name: CANARY }],
    }),
    marked({
      ...named('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `widgets.${group}`),
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', categories: ['all'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                description: CANARY,
                properties: { spec: { type: 'object', properties: { [CANARY]: { type: 'string' } } } },
              },
            },
          },
        ],
      },
    }),
  ];
}

function named(apiVersion: string, kind: string, name: string): JsonObject {
  return { apiVersion, kind, metadata: { name } };
}

function marked(object: JsonObject): JsonObject {
  const metadata = object['metadata'] as JsonObject;
  return {
    ...object,
    metadata: { ...metadata, labels: { seed: CANARY }, annotations: { 'example.com/seed': CANARY } },
  };
}

function withCanaryData(object: JsonObject): JsonObject {
  if (object['kind'] === 'ConfigMap') {
    return { ...object, binaryData: { packed: Buffer.from(`${CANARY} in binary data`).toString('base64') } };
  }
  return object;
}
