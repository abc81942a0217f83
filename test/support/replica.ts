/** A further process of the proxy on the host of the product: its replica, for what the product itself must not go through. */
import { join } from 'node:path';
import { type Child, startChild } from '../../src/dev/child.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { CLI } from './cli.ts';
import type { ControlPlaneFacts } from './control-plane.ts';
import { requestOnce } from './http.ts';
import { eventually } from './processes.ts';
import { type ProductFacts, proxyKubeconfigPath, replicaArgs } from './product.ts';

export interface Replica {
  readonly child: Child;
  /** `https://127.0.0.1:8443` */
  readonly server: string;
}

/** @param log name of its log, beside the product's. Whoever starts it ends it. */
export async function startReplica(
  controlPlane: ControlPlaneFacts,
  product: ProductFacts,
  log: string,
  args: readonly string[] = [],
): Promise<Replica> {
  const port = await choosePort(undefined, `the port of the replica ${log}`);
  const server = `https://127.0.0.1:${port}`;
  const child = await startChild({
    name: 'kubeveil',
    file: process.execPath,
    args: [
      CLI,
      'serve',
      `--kubeconfig=${proxyKubeconfigPath(controlPlane)}`,
      `--listen=127.0.0.1:${port}`,
      // It must not make tenants and pods come to itself.
      ...replicaArgs(product.server),
      ...args,
    ],
    logPath: join(controlPlane.workDir, 'product', `${log}.log`),
    env: { HOME: controlPlane.workDir },
  });
  try {
    await eventually('it is ready', async () => {
      const answer = await requestOnce({ server, path: '/readyz', insecure: true }).catch(() => undefined);
      return answer?.status === 200;
    });
  } catch (error) {
    await child.kill();
    throw error;
  }
  return { child, server };
}
