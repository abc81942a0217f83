/**
 * A backup of a control plane's store, and its return to it: after that the host is at an earlier revision than everybody
 * has seen.
 *
 * @see https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/#restoring-an-etcd-cluster
 */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from '../../src/dev/control-plane.ts';

/** @returns restores it, with the API server stopped meanwhile, as the documentation of Kubernetes wants it */
export async function backUp(controlPlane: ControlPlane): Promise<() => Promise<void>> {
  const data = join(controlPlane.workDir, 'etcd');
  const backup = join(controlPlane.workDir, 'etcd-backup');
  controlPlane.freeze('etcd');
  await cp(data, backup, { recursive: true });
  controlPlane.thaw('etcd');
  return async () => {
    for (const program of ['kube-apiserver', 'etcd'] as const) await controlPlane.kill(program);
    await rm(data, { recursive: true });
    await cp(backup, data, { recursive: true });
    for (const program of ['etcd', 'kube-apiserver'] as const) await controlPlane.restart(program);
  };
}
