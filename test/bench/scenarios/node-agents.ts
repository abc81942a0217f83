/**
 * What the programs on the nodes of a cluster cost its API server, asked directly and through a node cache on each node:
 * when they start, while things change, and when a third of them starts anew. Each node has a kubelet, a kube-proxy and an
 * agent of a DaemonSet, with client-go's own informers (`test/bench/node-agents`).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { type LineProcess, startLineProcess } from '../line-process.ts';
import { nodeAgentsProgram } from '../node-agents-program.ts';
import type { NodeCacheAddress, NodeCachesSettings } from '../node-caches.ts';
import { createNodes, type NodeCounts, writeForAWhile } from '../node-cluster.ts';
import { rssBytes, usedBy } from '../process-usage.ts';
import type { Bench, Scenario } from '../scenario.ts';

const FULL: NodeCounts = { nodes: 100, podsOfNode: 10, services: 1_000, writesMs: 30_000 };
const QUICK: NodeCounts = { nodes: 3, podsOfNode: 2, services: 5, writesMs: 2_000 };
const CACHES = fileURLToPath(new URL('../node-caches.ts', import.meta.url));

/** What one part of a run cost the API server. */
interface Cost {
  readonly cpuSeconds: number;
  readonly requests: number;
}

type Part = 'start' | 'changes' | 'restart';

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const counts = bench.quick ? QUICK : FULL;
  const program = await nodeAgentsProgram();
  bench.progress(`making ${counts.nodes} nodes with ${counts.podsOfNode} pods each, and ${counts.services} Services`);
  const cluster = await createNodes(lab, counts);
  bench.progress('the writes alone');
  const alone = await costOf(lab, () => writeForAWhile(lab, counts));

  async function through(addresses: readonly NodeCacheAddress[], begun: Promise<Cost>): Promise<Record<Part, Cost>> {
    const file = join(lab.folder, 'node-agents.json');
    writeFileSync(file, JSON.stringify({ nodes: cluster.agents(addresses) }), { mode: 0o600 });
    let agents: LineProcess | undefined;
    const started = await costOf(lab, async () => {
      agents = startLineProcess(program, [file]);
      await agents.line();
    });
    await using running = agents as unknown as LineProcess;
    const before = await begun;
    const start = { cpuSeconds: before.cpuSeconds + started.cpuSeconds, requests: before.requests + started.requests };
    bench.progress('what changes');
    const changes = await costOf(lab, () => writeForAWhile(lab, counts));
    bench.progress('a third starts anew');
    const restart = await costOf(lab, async () => {
      running.tell(`restart ${Math.ceil(counts.nodes / 3)}`);
      await running.line();
    });
    return { start, changes: less(changes, alone), restart };
  }

  bench.progress('asked directly');
  const { server, caPem } = lab.controlPlane;
  const nothing = Promise.resolve({ cpuSeconds: 0, requests: 0 });
  const direct = await through(Array(counts.nodes).fill({ server, caPem }), nothing);

  bench.progress('through node caches');
  const settings: NodeCachesSettings = {
    server,
    caPem,
    token: cluster.cacheToken,
    folder: lab.folder,
    nodes: cluster.nodes,
  };
  const file = join(lab.folder, 'node-caches.json');
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  await using caches = startLineProcess(process.execPath, [CACHES, file]);
  let addresses: NodeCacheAddress[] = [];
  const begun = await costOf(lab, async () => {
    addresses = JSON.parse(await caches.line()) as NodeCacheAddress[];
  });
  const cached = await through(addresses, Promise.resolve(begun));
  return figures(counts, direct, cached, rssBytes(caches.pid));
}

/** Less what the API server does meanwhile for others. */
async function costOf(lab: Lab, act: () => Promise<void>): Promise<Cost> {
  // What went before has its aftermath.
  await sleep(SETTLE_MS);
  const idle = await spent(lab, () => sleep(IDLE_MS));
  const { seconds, cpuSeconds, requests } = await spent(lab, act);
  const share = seconds / idle.seconds;
  return less({ cpuSeconds, requests }, { cpuSeconds: idle.cpuSeconds * share, requests: idle.requests * share });
}

async function spent(lab: Lab, act: () => Promise<void>): Promise<Cost & { readonly seconds: number }> {
  const pids = { apiserver: lab.apiserverPid };
  const requests = await requestsOf(lab);
  const { apiserver } = usedBy(pids);
  const startedMs = performance.now();
  await act();
  const seconds = (performance.now() - startedMs) / 1_000;
  return { seconds, cpuSeconds: usedBy(pids).apiserver - apiserver, requests: (await requestsOf(lab)) - requests };
}

const IDLE_MS = 10_000;
const SETTLE_MS = 3_000;

/** As the API server counts them: watches when they begin, too. */
async function requestsOf(lab: Lab): Promise<number> {
  const { body } = await lab.admin.send('GET', '/metrics');
  const ended = sumOf(String(body), 'apiserver_request_total');
  return ended + sumOf(String(body), 'apiserver_longrunning_requests');
}

function sumOf(text: string, metric: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function less(cost: Cost, other: Cost): Cost {
  return {
    cpuSeconds: Math.max(0, cost.cpuSeconds - other.cpuSeconds),
    requests: Math.max(0, cost.requests - other.requests),
  };
}

function figures(
  { nodes, podsOfNode, services, writesMs }: NodeCounts,
  direct: Record<Part, Cost>,
  cached: Record<Part, Cost>,
  rss: number,
): Figure[] {
  const how = `${nodes} nodes with ${podsOfNode} pods each, ${services} Services with an EndpointSlice each; kubelet, kube-proxy and a DaemonSet's agent on each node; `;
  const parts: ReadonlyArray<readonly [Part, string, string]> = [
    ['start', 'all start', 'until every informer has synced, the node caches’ own start included'],
    [
      'changes',
      'things change',
      `${writesMs / 1_000} s of writes to EndpointSlices and pods, less what the writes cost alone`,
    ],
    ['restart', 'a third starts anew', 'until every informer has synced'],
  ];
  return [
    ...parts.flatMap(([part, name, over]): Figure[] => {
      const [of, by] = [direct[part], cached[part]];
      return [
        {
          name: `${name}: CPU of the API server through node caches / asked directly`,
          value: by.cpuSeconds / of.cpuSeconds,
          unit: 'ratio',
          goal: 1 / 20,
          how: how + over,
        },
        { name: `${name}: CPU of the API server, asked directly`, value: of.cpuSeconds, unit: 's', how: how + over },
        {
          name: `${name}: CPU of the API server, through node caches`,
          value: by.cpuSeconds,
          unit: 's',
          how: how + over,
        },
        {
          name: `${name}: requests to the API server, asked directly`,
          value: of.requests,
          unit: 'requests',
          how: how + over,
        },
        {
          name: `${name}: requests to the API server, through node caches`,
          value: by.requests,
          unit: 'requests',
          how: how + over,
        },
      ];
    }),
    {
      name: 'memory of a node cache',
      value: rss / 2 ** 20 / nodes,
      unit: 'MiB',
      how: `${how}VmRSS of a process with all of them, divided`,
    },
  ];
}

export const nodeAgents: Scenario = {
  name: 'node-agents',
  title: 'Programs of 100 nodes, directly and through node caches',
  run,
};
