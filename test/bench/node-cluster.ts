/** The objects of a cluster with many nodes, the credentials of what runs on them, and writes that keep them busy. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { must } from '../support/administrator.ts';
import type { Lab } from './lab.ts';
import type { NodeCacheAddress, NodeCachesSettings } from './node-caches.ts';

export interface NodeCounts {
  readonly nodes: number;
  readonly podsOfNode: number;
  readonly services: number;
  readonly writesMs: number;
}

export interface NodeCluster {
  /** Of the account of the node caches. */
  readonly cacheToken: string;
  /** Of the account of their hub. */
  readonly hubToken: string;
  readonly nodes: NodeCachesSettings['nodes'];
  /** What `node-agents` is started with. @param addresses one for each node */
  agents(addresses: readonly NodeCacheAddress[]): unknown;
}

const NAMESPACE = 'bench';
const CONFIG_MAPS = ['settings-0', 'settings-1', 'settings-2'];
const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const RIGHTS = [
  ['-f', `${DEPLOY}node-cache/10-account.yaml`],
  ['-f', `${DEPLOY}node-cache-hub/10-hub.yaml`, '--selector=kubeveil.dev/part=rights'],
];
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AT_ONCE = 8;

export async function createNodes(lab: Lab, counts: NodeCounts): Promise<NodeCluster> {
  const { admin, controlPlane } = lab;
  const kubeconfig = ['--kubeconfig', controlPlane.adminKubeconfigPath];
  for (const which of RIGHTS) {
    await promisify(execFile)(controlPlane.kubectlPath, [...kubeconfig, 'apply', ...which]);
  }
  await admin.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  for (const [name, role] of [
    ['default', 'view'],
    ['kube-proxy', 'system:node-proxier'],
    ['daemon', 'bench-daemon'],
  ]) {
    await admin.create(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name } });
    await admin.create(`${RBAC}/clusterrolebindings`, {
      metadata: { name: `bench-${name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: NAMESPACE }],
    });
  }
  const verbs = ['get', 'list', 'watch'];
  await admin.create(`${RBAC}/clusterroles`, {
    metadata: { name: 'bench-daemon' },
    rules: [
      { apiGroups: [''], resources: ['pods', 'services', 'nodes'], verbs },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs },
    ],
  });
  for (const name of CONFIG_MAPS) {
    const object = { metadata: { name }, data: { text: 'key = value\n'.repeat(100) } };
    await admin.create(`/api/v1/namespaces/${NAMESPACE}/configmaps`, object);
  }
  const names = Array.from({ length: counts.nodes }, (_, at) => `agent-${at}`);
  await each(names, (name) => admin.create('/api/v1/nodes', { metadata: { name } }));
  await each(
    names.flatMap((name) => podsOf(name, counts.podsOfNode)),
    (pod) => admin.create(`/api/v1/namespaces/${NAMESPACE}/pods`, pod),
  );
  await each(servicesOf(counts), async ({ service, slice }) => {
    await admin.create(`/api/v1/namespaces/${NAMESPACE}/services`, service);
    await admin.create(`/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`, slice);
  });
  const nodes = await Promise.all(
    names.map(async (name) => {
      const pair = await controlPlane.issueClient({ user: `system:node:${name}`, groups: ['system:nodes'] });
      return { name, ...pair };
    }),
  );
  const [cacheToken, hubToken, proxyToken, daemonToken] = await Promise.all([
    tokenOf(lab, 'kubeveil-system', 'kubeveil-node-cache'),
    tokenOf(lab, 'kubeveil-system', 'kubeveil-node-cache-hub'),
    tokenOf(lab, NAMESPACE, 'kube-proxy'),
    tokenOf(lab, NAMESPACE, 'daemon'),
  ]);
  return {
    cacheToken,
    hubToken,
    nodes,
    agents: (addresses) =>
      nodes.map(({ name, certPem, keyPem }, at) => {
        const { server = '', caPem = '' } = addresses[at] ?? {};
        const to = { server, ca: caPem };
        const clients = [
          { kind: 'kubelet', ...to, cert: certPem, key: keyPem },
          { kind: 'kube-proxy', ...to, token: proxyToken },
          { kind: 'daemon', ...to, token: daemonToken },
        ];
        return { name, clients, configMaps: CONFIG_MAPS };
      }),
  };
}

/** Ten EndpointSlices and twenty pods a second change, as in a cluster where something is rolled out. */
export async function writeForAWhile(
  { admin }: Lab,
  { nodes, podsOfNode, services, writesMs }: NodeCounts,
): Promise<void> {
  const merge = 'application/merge-patch+json';
  const startedMs = performance.now();
  for (let at = 0; performance.now() - startedMs < writesMs; at += 1) {
    const slice = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices/service-${at % services}`;
    await must(admin, 'PATCH', slice, { metadata: { annotations: { at: String(startedMs + at) } } }, merge);
    for (const offset of [0, 1]) {
      const place = at * 2 + offset;
      const pod = `agent-${place % nodes}-${Math.floor(place / nodes) % podsOfNode}`;
      const status = { status: { message: `changed ${startedMs + at}` } };
      await must(admin, 'PATCH', `/api/v1/namespaces/${NAMESPACE}/pods/${pod}/status`, status, merge);
    }
    const dueMs = startedMs + (at + 1) * 100;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
  }
}

function podsOf(nodeName: string, count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({
    metadata: { name: `${nodeName}-${at}`, labels: { app: 'web' } },
    spec: {
      nodeName,
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'web', image: 'registry.example.com/web:1.0.0', env: [{ name: 'A', value: 'b' }] }],
      volumes: CONFIG_MAPS.map((name) => ({ name, configMap: { name } })),
    },
  }));
}

function servicesOf({ services }: NodeCounts): Array<{ service: object; slice: object }> {
  return Array.from({ length: services }, (_, at) => {
    const name = `service-${at}`;
    const addresses = (endpoint: number) => [`10.${at >> 8}.${at & 255}.${endpoint}`];
    return {
      service: { metadata: { name }, spec: { ports: [{ name: 'http', port: 80 }] } },
      slice: {
        metadata: { name, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        ports: [{ name: 'http', port: 8080 }],
        endpoints: Array.from({ length: 10 }, (_, endpoint) => ({
          addresses: addresses(endpoint + 1),
          conditions: { ready: true },
          nodeName: `agent-${endpoint}`,
        })),
      },
    };
  });
}

async function each<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  async function work(): Promise<void> {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item);
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function tokenOf({ admin }: Lab, namespace: string, account: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const answer = await must(admin, 'POST', path, { spec: { expirationSeconds: 7_200 } });
  return (answer as unknown as { status: { token: string } }).status.token;
}
