/**
 * Objects of many built-in kinds, for the comparison of the protobuf codec with a real API server.
 */
import type { JsonObject } from '../../src/k8s/types.ts';

export const NAMESPACE = 'protobuf-codec';

const container = {
  name: 'web',
  image: 'web:1',
  ports: [{ containerPort: 80 }],
  env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  resources: { requests: { cpu: '100m', memory: '1.5Gi' }, limits: { memory: '2Gi' } },
  readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
  volumeMounts: [{ name: 'config', mountPath: '/config' }],
};
const labels = { app: 'web' };
const podTemplate = {
  metadata: { labels },
  spec: {
    containers: [container],
    volumes: [{ name: 'config', projected: { sources: [{ configMap: { name: 'config', optional: true } }] } }],
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] } },
    tolerations: [{ operator: 'Exists' }],
  },
};
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const webhook = {
  name: 'check.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/check' },
  failurePolicy: 'Ignore',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  namespaceSelector: { matchLabels: { none: 'matches' } },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
};
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 0, maximum: 9007199254740991, default: 3 },
        port: { 'x-kubernetes-int-or-string': true },
        extra: { type: 'object', additionalProperties: { type: 'string' } },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
};

function example(apiVersion: string, kind: string, plural: string, rest: JsonObject, name: string, namespaced = true) {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return {
    path: namespaced ? `${base}/namespaces/${NAMESPACE}/${plural}` : `${base}/${plural}`,
    object: { apiVersion, kind, metadata: { name, labels }, ...rest } as JsonObject,
  };
}

/** In the order of their creation. Names of cluster-scoped ones are this test's own. */
export const EXAMPLES: readonly { path: string; object: JsonObject }[] = [
  example('v1', 'Namespace', 'namespaces', {}, NAMESPACE, false),
  example(
    'v1',
    'ConfigMap',
    'configmaps',
    { data: { ['__proto__x']: '1', b: 'é😀' }, binaryData: { c: 'AAEC' } },
    'config',
  ),
  example('v1', 'Secret', 'secrets', { type: 'Opaque', data: { a: 'AAEC', empty: '' } }, 'secret'),
  example('v1', 'ServiceAccount', 'serviceaccounts', { automountServiceAccountToken: false }, 'robot'),
  example('v1', 'Pod', 'pods', { spec: podTemplate.spec }, 'pod'),
  example('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', { spec: claim }, 'claim'),
  example(
    'v1',
    'Service',
    'services',
    { spec: { selector: labels, ports: [{ port: 80, targetPort: 'http' }] } },
    'web',
  ),
  example(
    'v1',
    'ResourceQuota',
    'resourcequotas',
    { spec: { hard: { 'requests.cpu': '1500m', pods: '100' } } },
    'quota',
  ),
  example(
    'v1',
    'LimitRange',
    'limitranges',
    { spec: { limits: [{ type: 'Container', max: { cpu: '8' } }] } },
    'limits',
  ),
  example(
    'apps/v1',
    'Deployment',
    'deployments',
    { spec: { selector: { matchLabels: labels }, template: podTemplate } },
    'web',
  ),
  example(
    'apps/v1',
    'DaemonSet',
    'daemonsets',
    { spec: { selector: { matchLabels: labels }, template: podTemplate } },
    'all',
  ),
  example(
    'apps/v1',
    'StatefulSet',
    'statefulsets',
    {
      spec: {
        serviceName: 'web',
        selector: { matchLabels: labels },
        template: podTemplate,
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
      },
    },
    'db',
  ),
  example(
    'batch/v1',
    'CronJob',
    'cronjobs',
    {
      spec: {
        schedule: '0 0 1 1 *',
        suspend: true,
        jobTemplate: {
          spec: {
            template: { spec: { containers: [container], restartPolicy: 'Never', volumes: podTemplate.spec.volumes } },
          },
        },
      },
    },
    'yearly',
  ),
  example(
    'policy/v1',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
    { spec: { minAvailable: '50%', selector: { matchLabels: labels } } },
    'web',
  ),
  example(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    'networkpolicies',
    {
      spec: {
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
        egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 53, protocol: 'UDP' }] }],
      },
    },
    'dns',
  ),
  example(
    'networking.k8s.io/v1',
    'Ingress',
    'ingresses',
    { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
    'web',
  ),
  example(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    },
    'web',
  ),
  example(
    'coordination.k8s.io/v1',
    'Lease',
    'leases',
    { spec: { holderIdentity: 'a', renewTime: '2024-01-02T03:04:05.678901Z' } },
    'lease',
  ),
  example(
    'rbac.authorization.k8s.io/v1',
    'Role',
    'roles',
    { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    'reader',
  ),
  example(
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
    'rolebindings',
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: NAMESPACE }],
    },
    'reader',
  ),
  example(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    'endpointslices',
    { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }], ports: [{ port: 80 }] },
    'manual',
  ),
  example(
    'v1',
    'Event',
    'events',
    {
      involvedObject: { kind: 'Pod', name: 'pod', namespace: NAMESPACE },
      reason: 'Test',
      message: 'a',
      firstTimestamp: '2024-01-02T03:04:05Z',
    },
    'event',
  ),
  example(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    'customresourcedefinitions',
    {
      spec: {
        group: 'protobuf-codec.example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    },
    'widgets.protobuf-codec.example.com',
    false,
  ),
  example(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    { webhooks: [webhook] },
    'protobuf-codec',
    false,
  ),
  example(
    'scheduling.k8s.io/v1',
    'PriorityClass',
    'priorityclasses',
    { value: 7, description: 'low' },
    'protobuf-codec',
    false,
  ),
  example(
    'storage.k8s.io/v1',
    'StorageClass',
    'storageclasses',
    { provisioner: 'example.com/none', parameters: { a: 'b' } },
    'protobuf-codec',
    false,
  ),
];
