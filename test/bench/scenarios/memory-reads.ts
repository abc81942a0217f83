/**
 * Lists and reads with `resourceVersion=0`, which both answer from memory: the proxy from what it keeps of a tenant that
 * watches, the API server from its own watch cache. CPU alone: what a request costs, not how long it waits.
 */
import { type BenchClient, openClient } from '../client.ts';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { idleUse, usedBy } from '../process-usage.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { hostUser } from '../subjects.ts';

const AT_ONCE = 2;
const NAMESPACE = 'bench';
/** As large as a usual pod. */
const DATA = { data: 'key = value\n'.repeat(330) };

interface Numbers {
  readonly objects: number;
  readonly rounds: number;
  readonly lists: number;
  readonly gets: number;
}

const FULL: Numbers = { objects: 3_000, rounds: 5, lists: 20, gets: 2_000 };
const QUICK: Numbers = { objects: 100, rounds: 2, lists: 10, gets: 100 };

interface Case {
  readonly name: string;
  readonly hostPath: string;
  readonly tenantPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: number;
  readonly goal: number;
}

function casesOf({ objects, lists, gets }: Numbers): readonly Case[] {
  const list = { hostPath: `/api/v1/namespaces/${NAMESPACE}/configmaps`, tenantPath: '/api/v1/configmaps' };
  const name = `LIST of ${objects} ConfigMaps`;
  return [
    { ...list, name: `${name}, JSON`, headers: {}, requests: lists, goal: 1 / 8 },
    { ...list, name: `${name}, gzip`, headers: { 'accept-encoding': 'gzip' }, requests: lists, goal: 1 / 8 },
    {
      ...list,
      name: `${name}, protobuf`,
      headers: { accept: 'application/vnd.kubernetes.protobuf' },
      requests: lists,
      goal: 1 / 8,
    },
    {
      name: 'GET of a ConfigMap',
      hostPath: `${list.hostPath}/map-1`,
      tenantPath: '/api/v1/namespaces/default/configmaps/map-1',
      headers: {},
      requests: gets,
      goal: 1 / 10,
    },
  ];
}

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const numbers = bench.quick ? QUICK : FULL;
  const tenant = await lab.onboard('acme');
  await using direct = openClient(await hostUser(lab), { connections: AT_ONCE });
  await using proxied = openClient(tenant, { connections: AT_ONCE });
  bench.progress(`making ${numbers.objects} ConfigMaps on either side`);
  for (const namespace of [NAMESPACE, 'acme--default']) await fill(lab, namespace, numbers.objects);
  const figures: Figure[] = [];
  for (const one of casesOf(numbers)) {
    bench.progress(one.name);
    figures.push(...(await compare(lab, direct, proxied, one, numbers.rounds)));
  }
  return figures;
}

async function fill(lab: Lab, namespace: string, objects: number): Promise<void> {
  const names = Array.from({ length: objects }, (_, at) => `map-${at}`);
  async function work(): Promise<void> {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const metadata = { name, labels: { app: 'web' } };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: DATA };
      await lab.admin.create(`/api/v1/namespaces/${namespace}/configmaps`, object);
    }
  }
  await Promise.all(Array.from({ length: 8 }, work));
}

async function compare(
  lab: Lab,
  direct: BenchClient,
  proxied: BenchClient,
  { name, hostPath, tenantPath, headers, requests, goal }: Case,
  rounds: number,
): Promise<Figure[]> {
  const pids = { proxy: lab.proxy.pid, apiserver: lab.apiserverPid };
  const [theirs, ours] = [`${hostPath}?resourceVersion=0`, `${tenantPath}?resourceVersion=0`];
  const bytes = await size(proxied, ours, headers);
  await send(direct, theirs, headers, AT_ONCE);
  const costs: Array<{ directMs: number; proxyMs: number; behindMs: number }> = [];
  for (let round = 0; round < rounds; round += 1) {
    const idle = await idleUse(pids, 500);
    const own = await costOf(pids, idle, requests, () => send(direct, theirs, headers, requests));
    const cached = await costOf(pids, idle, requests, () => send(proxied, ours, headers, requests));
    costs.push({ directMs: own.apiserver, proxyMs: cached.proxy, behindMs: cached.apiserver });
  }
  const how = `${bytes} bytes; /proc/<pid>/stat around ${requests} requests, ${AT_ONCE} at a time, less idle use; median of ${rounds} rounds`;
  const figure = (what: string, unit: Figure['unit'], values: number[]): Figure => {
    return { name: `${name}: ${what}`, value: median(values), unit, how, rounds: values };
  };
  const ratios = costs.map(({ proxyMs, directMs }) => proxyMs / directMs);
  return [
    { ...figure('CPU of the proxy / of the API server asked directly', 'ratio', ratios), goal },
    figure(
      'CPU of the proxy per request',
      'ms',
      costs.map(({ proxyMs }) => proxyMs),
    ),
    figure(
      'CPU of the API server per direct request',
      'ms',
      costs.map(({ directMs }) => directMs),
    ),
    figure(
      'CPU of the API server per request to the proxy',
      'ms',
      costs.map(({ behindMs }) => behindMs),
    ),
  ];
}

async function costOf<Name extends string>(
  pids: Readonly<Record<Name, number>>,
  idle: Readonly<Record<Name, number>>,
  requests: number,
  act: () => Promise<void>,
): Promise<Record<Name, number>> {
  const before = usedBy(pids);
  const startedMs = performance.now();
  await act();
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = usedBy(pids);
  const names = Object.keys(pids) as Name[];
  const cost = (name: Name): number =>
    Math.max(0, ((after[name] - before[name] - idle[name] * seconds) * 1_000) / requests);
  return Object.fromEntries(names.map((name) => [name, cost(name)])) as Record<Name, number>;
}

async function send(client: BenchClient, path: string, headers: Case['headers'], requests: number): Promise<void> {
  let left = requests;
  async function work(): Promise<void> {
    while (left > 0) {
      left -= 1;
      await size(client, path, headers);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function size(client: BenchClient, path: string, headers: Case['headers']): Promise<number> {
  const { status, body } = await client.get(path, headers);
  if (status !== 200) throw new Error(`GET ${path} was answered with ${status}`);
  return body.byteLength;
}

export const memoryReads: Scenario = {
  name: 'memory-reads',
  title: 'Lists and reads from memory against the API server’s own',
  run,
};
