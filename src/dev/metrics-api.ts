/**
 * `metrics.k8s.io` of a control plane: metrics-server behind the API server, as an aggregated API. What pods use, kwok
 * tells; deploy/dev-cluster/kwok.yaml says how it knows.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/
 */

import type { KubeClient } from './kube-client.ts';

const NAMESPACE = 'kube-system';
const SERVICE = 'metrics-server';
const VERSION = 'v1beta1';
const GROUP = 'metrics.k8s.io';
/** The name that the API server wants to see in the certificate of the service. */
export const METRICS_HOST = `${SERVICE}.${NAMESPACE}.svc`;

/** Annotation of a node: where its kubelet, here kwok, tells what its pods use. metrics-server reads it. */
export const USAGE_PATH = 'metrics.k8s.io/resource-metrics-path';

/** As deploy/dev-cluster/kwok.yaml has it. */
export function usagePathOf(node: string): string {
  return `/metrics/nodes/${node}/metrics/resource`;
}

/** Tells the API server where metrics-server listens, which it should do by now: a first failure is remembered. */
export async function createMetricsApi(client: KubeClient, port: number, caPem: string): Promise<void> {
  await client.create(`/api/v1/namespaces/${NAMESPACE}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: SERVICE },
    // No proxy serves cluster IPs here, and an endpoint cannot be a loopback address.
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await client.create('/apis/apiregistration.k8s.io/v1/apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${VERSION}.${GROUP}` },
    spec: {
      group: GROUP,
      version: VERSION,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { namespace: NAMESPACE, name: SERVICE, port },
      caBundle: Buffer.from(caPem).toString('base64'),
    },
  });
}

/** Whether discovery has it. */
export async function isMetricsApiServed(client: KubeClient): Promise<boolean> {
  const { status } = await client.send('GET', `/apis/${GROUP}/${VERSION}`);
  return status === 200;
}
