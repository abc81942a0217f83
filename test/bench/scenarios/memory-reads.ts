/**
 * Lists and reads with `resourceVersion=0`, which both answer from memory: the proxy from what it keeps of a tenant that
 * watches, the API server from its own watch cache. CPU alone: what a request costs, not how long it waits.
 */
import { startBareForwarder } from '../bare-forwarder-process.ts';
import { type BenchClient, openClient } from '../client.ts';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { idleUse, usedBy } from '../process-usage.ts';
import { takeProfile } from '../profile.ts';
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
  /** Compared with a server that does nothing but answer from memory: what Node itself costs. */
  readonly withBare?: boolean;
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
      withBare: true,
    },
  ];
}

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const numbers = bench.quick ? QUICK : FULL;
  const tenant = await lab.onboard('acme');
  const host = await hostUser(lab);
  await using direct = openClient(host, { connections: AT_ONCE });
  await using proxied = openClient(tenant, { connections: AT_ONCE });
  bench.progress(`making ${numbers.objects} ConfigMaps on either side`);
  for (const namespace of [NAMESPACE, 'acme--default']) await fill(lab, namespace, numbers.objects);
  const cases = casesOf(numbers);
  await using bare = await startBareForwarder(lab.folder, host, cases.find(({ withBare }) => withBare)?.hostPath ?? '');
  await using barely = openClient(bare.access, { connections: AT_ONCE });
  const servers: Servers = { direct, proxied, bare: { client: barely, pid: bare.pid } };
  const figures: Figure[] = [];
  for (const one of cases) {
    bench.progress(one.name);
    figures.push(...(await compare(lab, bench, servers, one, numbers)));
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

interface Servers {
  readonly direct: BenchClient;
  readonly proxied: BenchClient;
  readonly bare: { readonly client: BenchClient; readonly pid: number };
}

interface Cost {
  readonly directMs: number;
  readonly proxyMs: number;
  readonly behindMs: number;
  readonly bareMs: number;
}

async function compare(
  lab: Lab,
  bench: Bench,
  { direct, proxied, bare }: Servers,
  { name, hostPath, tenantPath, headers, requests, goal, withBare = false }: Case,
  { rounds }: Numbers,
): Promise<Figure[]> {
  const pids = { proxy: lab.proxy.pid, apiserver: lab.apiserverPid, bare: bare.pid };
  const [theirs, ours] = [`${hostPath}?resourceVersion=0`, `${tenantPath}?resourceVersion=0`];
  const bytes = await size(proxied, ours, headers);
  // As long as a round: until then code is compiled that the rounds run.
  await send(direct, theirs, headers, AT_ONCE);
  await send(proxied, ours, headers, requests);
  if (withBare) await send(bare.client, theirs, headers, requests);
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const idle = await idleUse(pids, 500);
    const own = await costOf(pids, idle, requests, () => send(direct, theirs, headers, requests));
    const cached = await costOf(pids, idle, requests, () => send(proxied, ours, headers, requests));
    const least = withBare
      ? await costOf(pids, idle, requests, () => send(bare.client, theirs, headers, requests))
      : { bare: Number.NaN };
    costs.push({ directMs: own.apiserver, proxyMs: cached.proxy, behindMs: cached.apiserver, bareMs: least.bare });
  }
  await takeProfile(lab, bench, name, requests, () => send(proxied, ours, headers, requests));
  const how = `${bytes} bytes; /proc/<pid>/stat around ${requests} requests, ${AT_ONCE} at a time, less idle use; median of ${rounds} rounds`;
  const figure = (what: string, unit: Figure['unit'], of: (cost: Cost) => number): Figure => {
    const values = costs.map(of);
    return { name: `${name}: ${what}`, value: median(values), unit, how, rounds: values };
  };
  const least = [
    figure('CPU of the proxy / of a server that does nothing', 'ratio', ({ proxyMs, bareMs }) => proxyMs / bareMs),
    figure('CPU of a server that does nothing per request', 'ms', ({ bareMs }) => bareMs),
    figure(
      'CPU of a server that does nothing / of the API server asked directly',
      'ratio',
      ({ bareMs, directMs }) => bareMs / directMs,
    ),
  ];
  return [
    {
      ...figure(
        'CPU of the proxy / of the API server asked directly',
        'ratio',
        ({ proxyMs, directMs }) => proxyMs / directMs,
      ),
      goal,
    },
    figure('CPU of the proxy per request', 'ms', ({ proxyMs }) => proxyMs),
    figure('CPU of the API server per direct request', 'ms', ({ directMs }) => directMs),
    figure('CPU of the API server per request to the proxy', 'ms', ({ behindMs }) => behindMs),
    ...(withBare ? least : []),
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
