/**
 * A cluster of many nodes and pods: the objects of one, and kwok as the kubelet of each node, which renews its lease and has
 * its pods run. They are divided among tenants. Beside them there are EndpointSlices of the host's own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { must } from '../support/administrator.ts';
import type { Lab } from './lab.ts';
import { node } from './node.ts';

export interface ScaleCounts {
  readonly nodes: number;
  readonly podsOfNode: number;
  readonly tenants: number;
  readonly slices: number;
}

const NAMESPACE = 'bench';
const SLICES = `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`;
/** As many as a client keeps connections. */
const AT_ONCE = 16;
const LOOK_MS = 2_000;
const FAULT_MS = 1_200_000;
const MERGE = 'application/merge-patch+json';

/** @returns seconds until every pod ran */
export async function fillCluster(lab: Lab, counts: ScaleCounts, progress: (line: string) => void): Promise<number> {
  const { admin } = lab;
  const startedMs = performance.now();
  await admin.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await each(counts.slices, (at) => admin.create(SLICES, slice(at)));
  await each(counts.nodes, (at) => admin.create('/api/v1/nodes', node(`scale-${at}`, 110)));
  progress('the nodes are there');
  let made = 0;
  await each(podsOf(counts), async (at) => {
    const pods = `/api/v1/namespaces/${namespaceOf(at, counts)}/pods`;
    await admin.create(pods, pod(at));
    const target = { kind: 'Node', name: `scale-${at % counts.nodes}` };
    await must(admin, 'POST', `${pods}/${podName(at)}/binding`, { metadata: { name: podName(at) }, target });
    made += 1;
    if (made % 5_000 === 0) progress(`${made} of ${podsOf(counts)} pods are made`);
  });
  const lateMs = performance.now() + FAULT_MS;
  while (await someDoNotRun(lab)) {
    if (performance.now() > lateMs) throw new Error('not every pod runs');
    await sleep(LOOK_MS);
  }
  return (performance.now() - startedMs) / 1_000;
}

export function podsOf({ nodes, podsOfNode }: ScaleCounts): number {
  return nodes * podsOfNode;
}

export function tenantNames({ tenants }: ScaleCounts): string[] {
  return Array.from({ length: tenants }, (_, at) => `scale-${at}`);
}

/** Writes to a pod when it is written, by the clock of this process. */
export async function touchPod({ admin }: Lab, at: number, counts: ScaleCounts): Promise<void> {
  const path = `/api/v1/namespaces/${namespaceOf(at, counts)}/pods/${podName(at)}`;
  await must(admin, 'PATCH', path, { metadata: { annotations: { sentMs: String(performance.now()) } } }, MERGE);
}

/** The same to an EndpointSlice of the host's own. */
export async function touchSlice({ admin }: Lab, at: number, { slices }: ScaleCounts): Promise<void> {
  const annotations = { sentMs: String(performance.now()) };
  await must(admin, 'PATCH', `${SLICES}/slice-${at % slices}`, { metadata: { annotations } }, MERGE);
}

function namespaceOf(at: number, { tenants }: ScaleCounts): string {
  return `scale-${at % tenants}--default`;
}

function podName(at: number): string {
  return `web-${at}`;
}

/** For no scheduler, which would be what is measured. */
function pod(at: number): object {
  const env = Array.from({ length: 10 }, (_, index) => ({ name: `SETTING_${index}`, value: 'x'.repeat(40) }));
  return {
    metadata: { name: podName(at), labels: { app: 'web', tier: 'front', 'pod-template-hash': '6b7f675d8f' } },
    spec: {
      schedulerName: 'bench',
      containers: [
        {
          name: 'web',
          image: 'registry.example.com/web:1.0.0',
          ports: [{ name: 'http', containerPort: 8080 }],
          env,
          resources: { requests: { cpu: '10m', memory: '16Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 10 },
        },
      ],
    },
  };
}

function slice(at: number): object {
  const name = `slice-${at}`;
  return {
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: Array.from({ length: 10 }, (_, endpoint) => ({
      addresses: [`10.${at >> 8}.${at & 255}.${endpoint + 1}`],
      conditions: { ready: true },
      nodeName: `scale-${endpoint}`,
    })),
  };
}

async function someDoNotRun({ admin }: Lab): Promise<boolean> {
  const { body } = await admin.send('GET', '/api/v1/pods?fieldSelector=status.phase!%3DRunning&limit=1');
  const { items = [] } = body as { items?: unknown[] };
  return items.length > 0;
}

async function each(count: number, act: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  async function work(): Promise<void> {
    while (next < count) {
      const at = next;
      next += 1;
      await act(at);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
