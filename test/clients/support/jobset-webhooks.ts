/**
 * The webhooks of JobSet as its own manifests register them (config/components/webhook of 0.12.0), with the operator's
 * process standing in for the pod: it listens on loopback, where a pod of the simulated node has its ports.
 */
import { createAuthority, issueServer } from '../../../src/pki/certificates.ts';
import type { TenantClient } from '../../support/as-tenant.ts';

/** Where the operator lives, apart from what it works on. */
const SYSTEM = 'jobset-system';
const SERVICE = 'webhook-service';
const JOBSETS = { apiGroups: ['jobset.x-k8s.io'], apiVersions: ['v1alpha2'], resources: ['jobsets'] };
const PODS = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };

const HOOKS = {
  Mutating: [
    ['mjobset.kb.io', '/mutate-jobset-x-k8s-io-v1alpha2-jobset', { ...JOBSETS, operations: ['CREATE'] }],
    ['mpod.kb.io', '/mutate--v1-pod', { ...PODS, operations: ['CREATE'] }],
  ],
  Validating: [
    ['vjobset.kb.io', '/validate-jobset-x-k8s-io-v1alpha2-jobset', { ...JOBSETS, operations: ['CREATE', 'UPDATE'] }],
    ['vpod.kb.io', '/validate--v1-pod', { ...PODS, operations: ['CREATE'] }],
  ],
} as const;

export interface WebhookCertificates {
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export async function webhookCertificates(): Promise<WebhookCertificates> {
  const authority = await createAuthority([{ CN: ['jobset-ca'] }]);
  const dnsNames = [`${SERVICE}.${SYSTEM}.svc`];
  const pair = await issueServer(authority, { commonName: 'jobset', dnsNames, ipAddresses: [] });
  return { caPem: authority.certPem, ...pair };
}

/** A pod with the port, its Service, and the configurations for objects of one namespace. */
export async function registerWebhooks(
  tenant: TenantClient,
  { of, port, caPem }: { of: string; port: number; caPem: string },
): Promise<void> {
  const namespace = SYSTEM;
  await tenant.kubectl(`create namespace ${namespace}`);
  await tenant.kubectl(`run manager -n ${namespace} --image=none`);
  await tenant.kubectl(`wait pod/manager -n ${namespace} --for=condition=Ready --timeout=120s`);
  await tenant.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: SERVICE, namespace },
    spec: { ports: [{ port: 443, targetPort: port }] },
  });
  await tenant.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: SERVICE, namespace, labels: { 'kubernetes.io/service-name': SERVICE } },
    addressType: 'IPv4',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['192.0.2.9'], targetRef: { kind: 'Pod', name: 'manager', namespace } }],
  });
  for (const [kind, hooks] of Object.entries(HOOKS)) {
    await tenant.create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: `jobset-${kind.toLowerCase()}` },
      webhooks: hooks.map(([name, path, rule]) => ({
        name,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        rules: [rule],
        // The product is shared with tests that have nothing to do with it.
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': of } },
        clientConfig: {
          service: { name: SERVICE, namespace, path },
          caBundle: Buffer.from(caPem).toString('base64'),
        },
      })),
    });
  }
}
