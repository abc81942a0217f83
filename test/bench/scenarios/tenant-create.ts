/**
 * From asking for a tenant to the first answer under its kubeconfig: as the command `kubeveil tenant create` (a new
 * process each time, which costs its own start), and the same work without that process.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../../../src/dev/child.ts';
import { type Access, getOrFail, openClient } from '../client.ts';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { median, percentile } from '../statistics.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));
const GOAL_MS = 1_000;
/**
 * Goes to the host as the tenant, so that it needs the guard. One object and no list: the API server keeps a list that
 * wants the newest state back until etcd has told its progress, up to 100 ms, whoever asks for it.
 */
const FIRST_READ = '/api/v1/namespaces/default/serviceaccounts/default';

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const times = bench.quick ? 3 : 20;
  const inProcessMs: number[] = [];
  const commandMs: number[] = [];
  // The first tenant of a proxy finds everything cold; said apart.
  const firstMs = await timed(() => createAndUse(lab, 'first'));
  for (let index = 0; index < times; index++) {
    bench.progress(`tenant ${index + 1} of ${times}`);
    inProcessMs.push(await timed(() => createAndUse(lab, `one-${index}`)));
    commandMs.push(await timed(() => command(lab, `two-${index}`)));
  }
  const how = `until the first GET under the new kubeconfig, of its default service account, is answered with 200; ${times} tenants one after the other, by turns with the command`;
  const howCommand = `\`kubeveil tenant create\` run from its TypeScript sources, start of Node included; ${times} times, by turns with the above`;
  return [
    { name: 'create to a working kubeconfig, median', value: median(inProcessMs), unit: 'ms', goal: GOAL_MS, how },
    { name: 'create to a working kubeconfig, p95', value: percentile(inProcessMs, 95), unit: 'ms', goal: GOAL_MS, how },
    { name: 'the command, median', value: median(commandMs), unit: 'ms', goal: GOAL_MS, how: howCommand },
    { name: 'the first tenant after the start', value: firstMs, unit: 'ms', how: 'once, as the first figure' },
  ];
}

async function createAndUse(lab: Lab, id: string): Promise<void> {
  await use(await lab.onboard(id));
}

/** @throws {Error} unless the very first request is served: a kubeconfig that works later does not work */
export async function use(access: Access): Promise<void> {
  await using client = openClient(access, { connections: 1 });
  await getOrFail(client, FIRST_READ);
}

async function command(lab: Lab, id: string): Promise<void> {
  const out = join(lab.folder, `${id}.kubeconfig`);
  const child = await startChild({
    name: 'kubeveil',
    file: process.execPath,
    args: [CLI, 'tenant', 'create', id, `--kubeconfig=${lab.controlPlane.adminKubeconfigPath}`, `--out=${out}`],
    logPath: join(lab.folder, 'command.log'),
  });
  const { code } = await child.exited;
  if (code !== 0) throw new Error(`kubeveil tenant create ${id} ended with ${code}`);
  rmSync(out);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

export const tenantCreate: Scenario = { name: 'tenant-create', title: 'Making a tenant', run };
