/**
 * The first objects of a new control plane: its nodes and a default StorageClass whose volumes the controller manager
 * makes itself, so that claims become Bound.
 */

import { rmdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DevError } from './errors.ts';
import type { KubeClient } from './kube-client.ts';
import { USAGE_PATH, usagePathOf } from './metrics-api.ts';
import { KUBERNETES_VERSION, platform } from './versions.ts';

const POLL_MS = 50;
const RESOURCES = { cpu: '32', memory: '128Gi', 'ephemeral-storage': '512Gi', pods: '1000' };
/** Where the controller manager's host-path provisioner makes a folder per volume; the path is fixed in its source. */
const VOLUMES_DIR = '/tmp/hostpath_pv';
const VOLUME_PATH = /^\/tmp\/hostpath_pv\/[0-9a-f-]{36}$/;

/** `node-1`, `node-2`, ... */
export function nodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `node-${index + 1}`);
}

/** Creates the nodes; kwok makes them Ready. @param kubeletPort where one kubelet serves for all of them */
export async function createNodes(client: KubeClient, names: readonly string[], kubeletPort: number): Promise<void> {
  await Promise.all(names.map((name, index) => client.create('/api/v1/nodes', node(name, index, kubeletPort))));
}

/** Creates the default StorageClass `standard`. */
export function createStorageClass(client: KubeClient): Promise<void> {
  return client.create('/apis/storage.k8s.io/v1/storageclasses', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/host-path',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  });
}

/**
 * Waits until pods can be made and scheduled: every node is Ready and without taints, and the namespace `default` has
 * its service account.
 * @throws {DevError} TIMED_OUT with what is missing
 */
export async function waitUntilUsable(
  client: KubeClient,
  names: readonly string[],
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<void> {
  let missing: string[] = [];
  while (Date.now() < deadlineMs) {
    missing = await findMissing(client, names);
    if (missing.length === 0) return;
    await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal });
  }
  throw new DevError('TIMED_OUT', `The control plane runs but is not usable; still missing: ${missing.join(', ')}.`);
}

/**
 * Removes the (empty) folders that the controller manager made for volumes which still exist. Best effort: a control
 * plane that does not answer any more leaves them behind.
 */
export async function removeVolumeFolders(client: KubeClient): Promise<void> {
  try {
    const { body } = await client.send('GET', '/api/v1/persistentvolumes');
    const { items = [] } = body as { items?: { spec?: { hostPath?: { path?: string } } }[] };
    for (const item of items) {
      const path = item.spec?.hostPath?.path ?? '';
      if (VOLUME_PATH.test(path)) await rmdir(path).catch(() => {});
    }
    // Only goes when no other control plane has a folder in it.
    await rmdir(VOLUMES_DIR).catch(() => {});
  } catch {
    // The API server is gone already.
  }
}

async function findMissing(client: KubeClient, names: readonly string[]): Promise<string[]> {
  const [nodes, account] = await Promise.all([
    client.send('GET', '/api/v1/nodes'),
    client.send('GET', '/api/v1/namespaces/default/serviceaccounts/default'),
  ]);
  const { items = [] } = nodes.body as { items?: NodeView[] };
  const usable = new Set(items.filter(isUsable).map((item) => item.metadata.name));
  const missing = names.filter((name) => !usable.has(name)).map((name) => `node ${name} Ready without taints`);
  if (account.status !== 200) missing.push('service account default/default');
  return missing;
}

interface NodeView {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly taints?: readonly unknown[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function isUsable(item: NodeView): boolean {
  const ready = item.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return ready && (item.spec.taints ?? []).length === 0;
}

function node(name: string, index: number, kubeletPort: number): unknown {
  const { arch } = platform();
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: { [USAGE_PATH]: usagePathOf(name) },
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': arch,
        'topology.kubernetes.io/region': 'local',
        'topology.kubernetes.io/zone': `local-${String.fromCharCode(97 + (index % 3))}`,
      },
    },
    spec: { podCIDR: `10.244.${index}.0/24`, podCIDRs: [`10.244.${index}.0/24`] },
    status: {
      capacity: RESOURCES,
      allocatable: RESOURCES,
      addresses: [
        { type: 'InternalIP', address: '127.0.0.1' },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      nodeInfo: {
        architecture: arch,
        operatingSystem: 'linux',
        kubeletVersion: `v${KUBERNETES_VERSION}`,
        kubeProxyVersion: '',
        containerRuntimeVersion: 'kwok://0',
        kernelVersion: 'none',
        osImage: 'kwok',
        machineID: name,
        systemUUID: name,
        bootID: name,
      },
    },
  };
}
