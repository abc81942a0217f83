/**
 * A cluster of many nodes and pods, divided among ten tenants, each of which watches all of its pods and the nodes: what the
 * proxy holds for it, how long it takes to, and how late an event is. And what a change costs the API server by the number of
 * node caches that are told of it, from which more of them are extrapolated.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Access, openClient } from '../client.ts';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { idleUse, rssBytes, usedBy } from '../process-usage.ts';
import { fillCluster, podsOf, type ScaleCounts, tenantNames, touchPod, touchSlice } from '../scale-cluster.ts';
import type { Bench, LabScenario } from '../scenario.ts';
import { median, percentile, slope } from '../statistics.ts';
import { upstreamWatches } from '../upstream-watches.ts';
import { openWatches, type Watches } from '../watch-client.ts';

/** What the field's largest clusters have. */
const CEILING = { nodes: 5_000, pods: 150_000, changesEachSecond: 10 };
const MIB = 1_048_576;
const INFORMER = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const BEGUN = 'initial-events-end';
const FROM_NOW = 'watch=true&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
const SLICES = `/apis/discovery.k8s.io/v1/endpointslices?${FROM_NOW}`;
const SETTLE_MS = 10_000;
const IDLE_MS = 5_000;
const QUIET_MS = 60_000;
const ROUNDS = 5;

interface Numbers extends ScaleCounts {
  readonly settleMs: number;
  readonly idleMs: number;
  readonly changes: number;
  readonly lists: number;
  /** How many node caches a change is told to, in turn. */
  readonly crowds: readonly number[];
}

function numbersOf({ quick, nodes }: Bench): Numbers {
  const few = { nodes: 5, podsOfNode: 4, tenants: 2, slices: 5, settleMs: 200, idleMs: 500 };
  if (quick) return { ...few, changes: 5, lists: 2, crowds: [0, 3, 6] };
  const many = { nodes, podsOfNode: 30, tenants: 10, slices: 100, settleMs: SETTLE_MS, idleMs: IDLE_MS };
  return { ...many, changes: 200, lists: 10, crowds: [0, 100, 200, 300] };
}

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const numbers = numbersOf(bench);
  const tenants = await Promise.all(tenantNames(numbers).map((id) => lab.onboard(id)));
  bench.progress(`making ${numbers.nodes} nodes and ${podsOf(numbers)} pods`);
  const seconds = await fillCluster(lab, numbers, bench.progress);
  bench.progress(`all pods run, after ${Math.round(seconds)} s`);
  const of = `${numbers.nodes} nodes and ${podsOf(numbers)} pods, which run, divided among ${numbers.tenants} tenants; `;
  await using all = new AsyncDisposableStack();
  const informers: Watches[] = [];
  return [
    ...(await begin(lab, bench, tenants, numbers, of, (one) => informers.push(all.use(one)))),
    ...(await delays(lab, bench, informers, numbers, of)),
    ...(await lists(lab, bench, tenants[0] as Access, numbers, of)),
    ...(await nodeCaches(lab, bench, numbers)),
  ];
}

/** Informers of pods and nodes of every tenant, all at once; and then the same again, from memory. */
async function begin(
  lab: Lab,
  bench: Bench,
  tenants: readonly Access[],
  numbers: Numbers,
  of: string,
  keep: (informer: Watches) => void,
): Promise<Figure[]> {
  const open = async (resource: string): Promise<Watches[]> => {
    const path = `/api/v1/${resource}?${INFORMER}`;
    return await Promise.all(
      tenants.map((tenant) => openWatches(tenant, { count: 1, connections: 'own', path, begun: BEGUN })),
    );
  };
  const start = async () => {
    const [pods, nodes] = await Promise.all([open('pods'), open('nodes')]);
    return [...pods, ...nodes];
  };
  await sleep(numbers.settleMs);
  const [before, upstream] = [await restingBytes(lab), await upstreamWatches(lab, 'pods')];
  bench.progress('informers of all tenants begin');
  const first = await spent(lab, numbers, start);
  for (const one of first.value) keep(one);
  await sleep(numbers.settleMs);
  const held = (await restingBytes(lab)) - before;
  const watches = (await upstreamWatches(lab, 'pods')) - upstream;
  bench.progress('and again');
  const again = await spent(lab, numbers, start);
  for (const one of again.value) await one[Symbol.asyncDispose]();
  const each = held / podsOf(numbers);
  const synced = `${of}an informer of pods and one of nodes for each tenant begin at once, until the last has everything; `;
  const memory = `${of}VmRSS of the proxy after garbage collection`;
  const parts = [
    ['the first informers', first],
    ['informers after them', again],
  ] as const;
  return [
    { name: 'memory of the proxy, nothing watched', value: before / MIB, unit: 'MiB', how: memory },
    { name: 'memory for what is watched', value: held / MIB, unit: 'MiB', how: `${memory}, over the figure above` },
    {
      name: `memory for what is watched of ${CEILING.pods} pods (extrapolated)`,
      value: (each * CEILING.pods) / MIB,
      unit: 'MiB',
      how: `${(each / 1_024).toFixed(2)} KiB for each pod, times ${CEILING.pods}`,
    },
    {
      name: 'watches of pods upstream',
      value: watches,
      unit: 'watches',
      goal: 1,
      how: 'apiserver_longrunning_requests, over what it was before',
    },
    ...parts.flatMap(([who, cost]): Figure[] => [
      { name: `${who}: until all have everything`, value: cost.seconds, unit: 's', how: synced },
      { name: `${who}: CPU of the proxy`, value: cost.proxy, unit: 's', how: `${synced}less idle use` },
      { name: `${who}: CPU of the API server`, value: cost.apiserver, unit: 's', how: `${synced}less idle use` },
    ]),
  ];
}

/** From the write of a pod to when its tenant's informer has it, and a watch of all pods that asks the API server directly. */
async function delays(
  lab: Lab,
  bench: Bench,
  informers: readonly Watches[],
  numbers: Numbers,
  of: string,
): Promise<Figure[]> {
  await using direct = await openWatches(administrator(lab), {
    count: 1,
    connections: 'own',
    path: `/api/v1/pods?${FROM_NOW}`,
  });
  bench.progress(`${numbers.changes} changes`);
  for (const one of [...informers, direct]) one.reset();
  for (let at = 0; at < numbers.changes; at += 1) {
    await touchPod(lab, at % podsOf(numbers), numbers);
    await sleep(CHANGE_MS);
  }
  await come(() => sumOf(informers), numbers.changes);
  await come(() => direct.events, numbers.changes);
  if (informers.some(({ ended }) => ended > 0)) throw new Error('an informer has ended');
  const told = informers.flatMap(({ delaysMs }) => delaysMs);
  const how = `${of}${numbers.changes} changes of pods, ten a second, to the moment the client has it; the clients run on the same cores`;
  return [50, 99].flatMap((percent): Figure[] => [
    { name: `delay of an event p${percent}`, value: percentile(told, percent), unit: 'ms', how },
    {
      name: `delay of an event asked directly p${percent}`,
      value: percentile(direct.delaysMs, percent),
      unit: 'ms',
      how,
    },
  ]);
}

/** All pods of a tenant as one list from memory, and from the API server's. */
async function lists(lab: Lab, bench: Bench, tenant: Access, numbers: Numbers, of: string): Promise<Figure[]> {
  const [id = ''] = tenantNames(numbers);
  await using proxied = openClient(tenant, { connections: 1 });
  await using direct = openClient(administrator(lab), { connections: 1 });
  bench.progress('lists');
  const rounds: Array<{ ours: Spent; theirs: Spent }> = [];
  let bytes = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ask = (client: typeof proxied, path: string) => async () => {
      for (let at = 0; at < numbers.lists; at += 1) {
        const { status, body } = await client.get(`${path}?resourceVersion=0`);
        if (status !== 200) throw new Error(`${path} was answered with ${status}`);
        bytes = body.length;
      }
    };
    const theirs = await spent(lab, numbers, ask(direct, `/api/v1/namespaces/${id}--default/pods`));
    const ours = await spent(lab, numbers, ask(proxied, '/api/v1/pods'));
    // The first is there to warm up.
    if (round > 0) rounds.push({ ours, theirs });
  }
  const how = `${of}all ${Math.ceil(podsOf(numbers) / numbers.tenants)} pods of one, ${(bytes / MIB).toFixed(1)} MiB of JSON, ${numbers.lists} times one after the other, less idle use; median of ${ROUNDS} rounds`;
  const figure = (name: string, unit: Figure['unit'], value: (round: { ours: Spent; theirs: Spent }) => number) => {
    const values = rounds.map(value);
    return { name, value: median(values), unit, how, rounds: values };
  };
  return [
    figure(
      'LIST of a tenant’s pods: CPU of the proxy / of the API server asked directly',
      'ratio',
      ({ ours, theirs }) => ours.proxy / theirs.apiserver,
    ),
    figure('LIST of a tenant’s pods', 'ms', ({ ours }) => (ours.seconds * 1_000) / numbers.lists),
    figure('LIST of a tenant’s pods, asked directly', 'ms', ({ theirs }) => (theirs.seconds * 1_000) / numbers.lists),
  ];
}

/** To the API server, node caches are the watches that they have: of EndpointSlices, each is told every change. */
async function nodeCaches(lab: Lab, bench: Bench, numbers: Numbers): Promise<Figure[]> {
  const points: Array<readonly [watches: number, cpuSeconds: number]> = [];
  for (const count of numbers.crowds) {
    bench.progress(`changes that ${count} node caches are told of`);
    await using watches = await openWatches(administrator(lab), { count, connections: 'shared', path: SLICES });
    await sleep(numbers.settleMs);
    watches.reset();
    const { apiserver } = await spent(lab, numbers, async () => {
      for (let at = 0; at < numbers.changes; at += 1) {
        await touchSlice(lab, at, numbers);
        await sleep(CHANGE_MS);
      }
      await come(() => watches.events, numbers.changes * count);
    });
    points.push([count, apiserver / numbers.changes]);
  }
  const more = slope(points);
  const alone = median(points.map(([count, cpuSeconds]) => cpuSeconds - count * more));
  const how = `${numbers.changes} changes of EndpointSlices of ten endpoints, ten a second, told to ${numbers.crowds.join(', ')} watches of all of them, in JSON, less idle use; slope of CPU by watches`;
  const extrapolated = (watches: number): Figure['value'] => CEILING.changesEachSecond * (alone + watches * more);
  const formula = (watches: string): string =>
    `${CEILING.changesEachSecond} x (${(alone * 1_000).toFixed(2)} ms for the change + ${watches} x ${(more * 1e6).toFixed(1)} µs for each told)`;
  const name = (what: string): string =>
    `CPU of the API server each second, ${CEILING.changesEachSecond} changes of EndpointSlices, ${CEILING.nodes} ${what} (extrapolated)`;
  return [
    { name: 'CPU of the API server for one more that is told of a change', value: more * 1e6, unit: 'µs', how },
    {
      name: name('node caches'),
      value: extrapolated(CEILING.nodes),
      unit: 's',
      how: formula(String(CEILING.nodes)),
    },
    { name: name('node caches with a hub'), value: extrapolated(1), unit: 's', how: formula('1') },
  ];
}

interface Spent {
  readonly seconds: number;
  /** Seconds of CPU, less what is used idle. */
  readonly proxy: number;
  readonly apiserver: number;
}

async function spent<T>(lab: Lab, { idleMs }: Numbers, act: () => Promise<T>): Promise<Spent & { readonly value: T }> {
  const pids = { proxy: lab.proxy.pid, apiserver: lab.apiserverPid };
  const idle = await idleUse(pids, idleMs);
  const before = usedBy(pids);
  const startedMs = performance.now();
  const value = await act();
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = usedBy(pids);
  return {
    value,
    seconds,
    proxy: after.proxy - before.proxy - idle.proxy * seconds,
    apiserver: after.apiserver - before.apiserver - idle.apiserver * seconds,
  };
}

const CHANGE_MS = 100;

function sumOf(watches: readonly Watches[]): number {
  return watches.reduce((sum, { events }) => sum + events, 0);
}

async function come(events: () => number, count: number): Promise<void> {
  const untilMs = performance.now() + QUIET_MS;
  while (events() < count) {
    if (performance.now() > untilMs) throw new Error(`${events()} of ${count} events came`);
    await sleep(5);
  }
}

function administrator({ controlPlane }: Lab): Access {
  return { server: controlPlane.server, caPem: controlPlane.caPem, ...controlPlane.admin };
}

async function restingBytes(lab: Lab): Promise<number> {
  await lab.proxy.memory();
  return rssBytes(lab.proxy.pid);
}

export const scale: LabScenario = { name: 'scale', title: 'Many nodes and pods', run };
