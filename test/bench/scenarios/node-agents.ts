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
import type { NodeHubSettings } from '../node-hub.ts';
import { rssBytes, usedBy } from '../process-usage.ts';
import type { Bench, Scenario } from '../scenario.ts';

const FULL: NodeCounts = { nodes: 100, podsOfNode: 10, services: 1_000, writesMs: 30_000 };
const QUICK: NodeCounts = { nodes: 3, podsOfNode: 2, services: 5, writesMs: 2_000 };

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

  /** @param before what it cost to have them */
  async function through(addresses: readonly NodeCacheAddress[], before: Cost): Promise<Record<Part, Cost>> {
    const file = settingsFile(lab, 'node-agents', { nodes: cluster.agents(addresses) });
    let agents: LineProcess | undefined;
    const started = await costOf(lab, async () => {
      agents = startLineProcess(program, [file]);
      await agents.line();
    });
    await using running = agents as unknown as LineProcess;
    const start = sum(before, started);
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
  const direct = await through(Array(counts.nodes).fill({ server, caPem }), NOTHING);

  const settings: NodeCachesSettings = {
    server,
    caPem,
    token: cluster.cacheToken,
    folder: lab.folder,
    nodes: cluster.nodes,
  };

  async function throughCaches(hub: NodeCacheAddress | undefined, begunBefore: Cost): Promise<Cached> {
    const file = settingsFile(lab, 'node-caches', { ...settings, hub });
    await using caches = startLineProcess(process.execPath, [programFile('node-caches'), file]);
    let addresses: NodeCacheAddress[] = [];
    const begun = await costOf(lab, async () => {
      addresses = JSON.parse(await caches.line()) as NodeCacheAddress[];
    });
    const costs = await through(addresses, sum(begunBefore, begun));
    return { costs, rssBytes: rssBytes(caches.pid) };
  }

  bench.progress('through node caches');
  const cached = await throughCaches(undefined, NOTHING);

  bench.progress('through node caches with a hub');
  const folder = join(lab.folder, 'hub');
  const hubSettings: NodeHubSettings = { server, caPem, token: cluster.hubToken, folder };
  await using hub = startLineProcess(process.execPath, [
    programFile('node-hub'),
    settingsFile(lab, 'hub', hubSettings),
  ]);
  let address: NodeCacheAddress | undefined;
  const begun = await costOf(lab, async () => {
    address = JSON.parse(await hub.line()) as NodeCacheAddress;
  });
  const withHub = await throughCaches(address, begun);
  return figures(counts, direct, cached, { ...withHub, hubRssBytes: rssBytes(hub.pid) });
}

interface Cached {
  readonly costs: Record<Part, Cost>;
  /** Of all node caches together. */
  readonly rssBytes: number;
}

const NOTHING: Cost = { cpuSeconds: 0, requests: 0 };

function sum(a: Cost, b: Cost): Cost {
  return { cpuSeconds: a.cpuSeconds + b.cpuSeconds, requests: a.requests + b.requests };
}

function programFile(name: string): string {
  return fileURLToPath(new URL(`../${name}.ts`, import.meta.url));
}

function settingsFile(lab: Lab, name: string, settings: object): string {
  const file = join(lab.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  return file;
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
  cached: Cached,
  withHub: Cached & { readonly hubRssBytes: number },
): Figure[] {
  const how = `${nodes} nodes with ${podsOfNode} pods each, ${services} Services with an EndpointSlice each; kubelet, kube-proxy and a DaemonSet's agent on each node; `;
  const parts: ReadonlyArray<readonly [Part, string, string]> = [
    ['start', 'all start', 'until every informer has synced, the start of node caches and hub included'],
    [
      'changes',
      'things change',
      `${writesMs / 1_000} s of writes to EndpointSlices and pods, less what the writes cost alone`,
    ],
    ['restart', 'a third starts anew', 'until every informer has synced'],
  ];
  const ways = [
    ['asked directly', direct],
    ['through node caches', cached.costs],
    ['through node caches with a hub', withHub.costs],
  ] as const;
  const mib = (value: number, name: string, of: string): Figure => ({
    name,
    value: value / 2 ** 20,
    unit: 'MiB',
    how: `${how}VmRSS of ${of}`,
  });
  return [
    ...parts.flatMap(([part, name, over]): Figure[] => [
      ...ways.slice(1).map(([way, costs]) => ({
        name: `${name}: CPU of the API server ${way} / asked directly`,
        value: costs[part].cpuSeconds / direct[part].cpuSeconds,
        unit: 'ratio' as const,
        goal: 1 / 20,
        how: how + over,
      })),
      ...ways.map(([way, costs]) => ({
        name: `${name}: CPU of the API server, ${way}`,
        value: costs[part].cpuSeconds,
        unit: 's' as const,
        how: how + over,
      })),
      ...ways.map(([way, costs]) => ({
        name: `${name}: requests to the API server, ${way}`,
        value: costs[part].requests,
        unit: 'requests' as const,
        how: how + over,
      })),
    ]),
    mib(cached.rssBytes / nodes, 'memory of a node cache', 'a process with all of them, divided'),
    mib(withHub.hubRssBytes, 'memory of the hub', 'its process'),
  ];
}

export const nodeAgents: Scenario = {
  name: 'node-agents',
  title: 'Programs of 100 nodes, directly and through node caches',
  run,
};
