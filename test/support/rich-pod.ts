/** A pod that uses everything that the host's policy changes in one, and how it is looked at from both sides. */
import { expect } from 'vitest';
import type { KubeClient } from '../../src/dev/kube-client.ts';
import type { KubeObject, TenantClient } from './as-tenant.ts';

/** A variable that is read from a field of the pod. */
export const field = (fieldPath: string) => ({ valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } });
/** That it names for one of its tokens. */
export const AUDIENCE = 'https://kubernetes.default.svc';

/** A pod that uses all that is changed in one. */
export function richPod(name: string): KubeObject {
  const image = 'example.com/pause';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      initContainers: [{ name: 'init', image, env: [{ name: 'NS', ...field('metadata.namespace') }] }],
      containers: [
        { name: 'bare', image },
        {
          name: 'full',
          image,
          env: [
            { name: 'API', value: 'https://$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)' },
            { name: 'CA', valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'ca.crt' } } },
          ],
          envFrom: [{ configMapRef: { name: 'kube-root-ca.crt' } }],
        },
        { name: 'own', image, env: [{ name: 'KUBERNETES_SERVICE_HOST', value: '192.0.2.77' }] },
      ],
      volumes: [
        { name: 'ca', configMap: { name: 'kube-root-ca.crt' } },
        { name: 'fields', downwardAPI: { items: [{ path: 'ns', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
        {
          name: 'tokens',
          projected: {
            sources: [
              { serviceAccountToken: { path: 'bare' } },
              { serviceAccountToken: { path: 'named', audience: AUDIENCE } },
              { serviceAccountToken: { path: 'other', audience: 'vault' } },
              { configMap: { name: 'kube-root-ca.crt' } },
              { downwardAPI: { items: [{ path: 'ns', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
            ],
          },
        },
      ],
      dnsConfig: { nameservers: ['192.0.2.53'], searches: ['example.com'], options: [{ name: 'ndots', value: '2' }] },
    },
  };
}

/** What two pods of one manifest must have in common, whoever made them where. */
export function podShape({ metadata, spec }: KubeObject): object {
  const { labels, annotations, managedFields } = metadata;
  const { nodeName: _node, ...said } = spec;
  const volume = spec.volumes.find((one: KubeObject) => one.name.startsWith('kube-api-access-'));
  const fields = managedFields?.map(({ time: _time, ...entry }: KubeObject) => entry);
  const whole = { labels, annotations, spec: said, fields };
  return JSON.parse(JSON.stringify(whole).replaceAll(volume?.name ?? '-', 'kube-api-access'));
}

/** As the host stores it. */
export async function upstreamPod(
  host: KubeClient,
  tenant: TenantClient,
  namespace: string,
  name: string,
): Promise<KubeObject> {
  const path = `/api/v1/namespaces/${tenant.id}--${namespace}/pods/${name}`;
  return (await host.send('GET', path)).body as KubeObject;
}

/** As its tenant is answered. @throws unless it is made */
export async function madePod(tenant: TenantClient, namespace: string, pod: KubeObject): Promise<KubeObject> {
  const { status, object } = await tenant.write('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
  expect(status, JSON.stringify(object)).toBe(201);
  return object;
}
