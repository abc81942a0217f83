/** A tenant's webhook that changes pods of the label `mesh`, and a Deployment of such pods. */
import { child } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { Behaviour } from './webhook-server.ts';

export const SERVICE = 'injector';
export const SPACE = 'mesh';
const NAMED = { name: SERVICE, namespace: SPACE };

function patching(operation: JsonObject): Behaviour {
  const patch = Buffer.from(JSON.stringify([operation])).toString('base64');
  return (body) => {
    const response = { uid: child(body, 'request')['uid'] ?? '', allowed: true, patchType: 'JSONPatch', patch };
    return { body: JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }) };
  };
}

/** Puts a sidecar into each pod. */
export const injecting = patching({
  op: 'add',
  path: '/spec/containers/-',
  value: { name: 'sidecar', image: 'registry.example.com/sidecar:1' },
});

/** Gives each pod to a node of the host. */
export const owning = patching({
  op: 'add',
  path: '/metadata/ownerReferences/-',
  value: { apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'u' },
});

/** A Service that leads to a port of the pod of its name. */
export function webhookService(port: number): JsonObject {
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...NAMED, labels: { 'kubernetes.io/service-name': SERVICE } },
    addressType: 'IPv4',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['192.0.2.9'], targetRef: { kind: 'Pod', ...NAMED } }],
  };
  const spec = { ports: [{ port: 443, targetPort: port }] };
  const service = { apiVersion: 'v1', kind: 'Service', metadata: NAMED, spec };
  return { apiVersion: 'v1', kind: 'List', items: [service, slice] };
}

export function webhookConfiguration(caPem: string, path: string, extra: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: SERVICE },
    webhooks: [
      {
        name: 'mesh.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        objectSelector: { matchLabels: { mesh: 'on' } },
        clientConfig: { caBundle: Buffer.from(caPem).toString('base64'), service: { ...NAMED, path } },
        ...extra,
      },
    ],
  };
}

export function deployment(name: string, labels: JsonObject = { mesh: 'on' }): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name, ...labels } },
        spec: { containers: [{ name: 'main', image: 'registry.example.com/app:1' }] },
      },
    },
  };
}
