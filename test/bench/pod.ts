/** A pod of a tenant that runs, and the two ways to it: through the proxy, and direct as the host's administrator. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { newKubeconfig, writePrivateFile } from '../../src/onboarding/kubeconfig.ts';
import type { Access } from './client.ts';
import type { Lab } from './lab.ts';

export const POD = 'streamed';
const FAULT_MS = 60_000;

/** One way to the pod. */
export interface PodWay {
  readonly access: Required<{ [Key in keyof Access]: string }>;
  readonly kubeconfigPath: string;
  readonly namespace: string;
}

export interface PodWays {
  readonly direct: PodWay;
  readonly proxy: PodWay;
}

/** Makes the pod, and waits until it runs. */
export async function startPod(lab: Lab): Promise<PodWays> {
  const { server, caPem = '', certPem = '', keyPem = '' } = await lab.onboard('acme');
  const path = '/api/v1/namespaces/acme--default/pods';
  const spec = { containers: [{ name: POD, image: 'none' }] };
  await lab.admin.create(path, { apiVersion: 'v1', kind: 'Pod', metadata: { name: POD }, spec });
  for (const untilMs = Date.now() + FAULT_MS; ; await sleep(50)) {
    const { body } = await lab.admin.send('GET', `${path}/${POD}`);
    if ((body as { status?: { phase?: string } }).status?.phase === 'Running') break;
    if (Date.now() > untilMs) throw new Error('the pod does not run');
  }
  const { controlPlane } = lab;
  const kubeconfigPath = join(lab.folder, 'acme.kubeconfig');
  const names = { context: 'acme', cluster: 'acme', user: 'acme' };
  writePrivateFile(kubeconfigPath, newKubeconfig({ ...names, server, caPem, credential: { certPem, keyPem } }));
  return {
    direct: {
      access: { server: controlPlane.server, caPem: controlPlane.caPem, ...controlPlane.admin },
      kubeconfigPath: controlPlane.adminKubeconfigPath,
      namespace: 'acme--default',
    },
    proxy: { access: { server, caPem, certPem, keyPem }, kubeconfigPath, namespace: 'default' },
  };
}

/** @throws when kubectl fails, with what it wrote */
export async function kubectl(lab: Lab, way: PodWay, args: readonly string[]): Promise<void> {
  const all = [`--kubeconfig=${way.kubeconfigPath}`, `--namespace=${way.namespace}`, ...args];
  await promisify(execFile)(lab.controlPlane.kubectlPath, all, {
    env: { PATH: process.env['PATH'], HOME: lab.folder },
  });
}
