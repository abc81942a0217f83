/**
 * Many watches of one collection of a tenant: what each holds in the proxy, how many the API server sees of them, how fast
 * what changes is told to all of them, and how late.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Access } from '../client.ts';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { rssBytes, usedBy } from '../process-usage.ts';
import type { Bench, LabScenario } from '../scenario.ts';
import { median, percentile } from '../statistics.ts';
import { upstreamWatches } from '../upstream-watches.ts';
import { openWatches, type Watches, type WatchesOptions } from '../watch-client.ts';

const KIB = 1_024;
const SETTLE_MS = 5_000;
const QUIET_MS = 60_000;
/** From now on: what is there already is not what is counted. */
const PATH =
  '/api/v1/configmaps?watch=true&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
const MAPS = '/api/v1/namespaces/acme--default/configmaps';

interface Crowd extends Omit<WatchesOptions, 'path'> {
  readonly name: string;
  /** Changes one after the other, and their pause. */
  readonly changes: number;
  readonly pauseMs: number;
  /** Changes at once, for how many events go out in a second. */
  readonly burst: number;
  readonly goalKib: number;
}

function crowdsOf(quick: boolean): readonly Crowd[] {
  const few = { changes: quick ? 5 : 40, burst: quick ? 10 : 100 };
  const many = { changes: quick ? 3 : 20, burst: quick ? 3 : 20 };
  const [small, large] = quick ? [50, 200] : [1_000, 10_000];
  return [
    { ...few, name: `${small} watches`, count: small, connections: 'shared', pauseMs: 200, goalKib: 16 },
    {
      ...few,
      name: `${small} watches, each with a connection`,
      count: small,
      connections: 'own',
      pauseMs: 200,
      goalKib: 100,
    },
    { ...many, name: `${large} watches`, count: large, connections: 'shared', pauseMs: 2_000, goalKib: 16 },
  ];
}

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const tenant = await lab.onboard('acme');
  const figures: Figure[] = [];
  for (const crowd of crowdsOf(bench.quick)) figures.push(...(await measure(lab, bench, tenant, crowd)));
  return figures;
}

async function measure(lab: Lab, bench: Bench, tenant: Access, crowd: Crowd): Promise<Figure[]> {
  const { name, count, connections } = crowd;
  // The view and its upstream watch are there once, however many watch.
  await using first = await openWatches(tenant, { count: 50, connections, path: PATH });
  await sleep(SETTLE_MS);
  const [memory, upstream] = [await restingBytes(lab), await upstreamWatches(lab, 'configmaps')];
  bench.progress(`${name}: opening`);
  await using all = await openWatches(tenant, { count, connections, path: PATH });
  await sleep(SETTLE_MS);
  const each = ((await restingBytes(lab)) - memory) / count / KIB;
  const more = (await upstreamWatches(lab, 'configmaps')) - upstream;

  bench.progress(`${name}: ${crowd.changes} changes, one after the other`);
  await change(lab, all, crowd.changes, crowd.pauseMs);
  await everyone(all, crowd.changes * count);
  const delays = [...all.delaysMs];
  bench.progress(`${name}: ${crowd.burst} changes at once`);
  const before = usedBy({ proxy: lab.proxy.pid });
  const startedMs = performance.now();
  await change(lab, all, crowd.burst, 0);
  await everyone(all, crowd.burst * count);
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpu = usedBy({ proxy: lab.proxy.pid }).proxy - before.proxy;
  if (all.ended + first.ended > 0) throw new Error(`${all.ended} of ${count} watches have ended`);

  const events = crowd.burst * count;
  const held = `VmRSS of the proxy after garbage collection, over what it was with 50; ${connections === 'own' ? 'a TLS connection each' : '100 on each HTTP/2 connection'}`;
  const slow = `${crowd.changes} changes, one each ${crowd.pauseMs} ms, to the moment the client has it; the clients run on the same cores`;
  const fast = `${crowd.burst} changes at once, told to all of them; the clients run on the same cores`;
  return [
    { name: `${name}: memory for each`, value: each, unit: 'KiB', how: held, goal: crowd.goalKib },
    {
      name: `${name}: watches upstream`,
      value: 1 + more,
      unit: 'watches',
      how: 'apiserver_longrunning_requests of ConfigMaps, over what it was before these',
      goal: 1,
    },
    { name: `${name}: delay of an event p50`, value: median(delays), unit: 'ms', how: slow },
    { name: `${name}: delay of an event p99`, value: percentile(delays, 99), unit: 'ms', how: slow },
    { name: `${name}: events a second`, value: events / seconds, unit: 'events/s', how: fast },
    { name: `${name}: CPU of the proxy for each event`, value: (cpu * 1e6) / events, unit: 'µs', how: fast },
  ];
}

async function restingBytes(lab: Lab): Promise<number> {
  await lab.proxy.memory();
  return rssBytes(lab.proxy.pid);
}

let made = 0;

async function change(lab: Lab, all: Watches, changes: number, pauseMs: number): Promise<void> {
  all.reset();
  for (let at = 0; at < changes; at += 1) {
    made += 1;
    const data = { sentMs: String(performance.now()), more: 'x'.repeat(1_000) };
    await lab.admin.create(MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `event-${made}` },
      data,
    });
    await sleep(pauseMs);
  }
}

async function everyone(all: Watches, events: number): Promise<void> {
  const untilMs = performance.now() + QUIET_MS;
  while (all.events < events) {
    if (performance.now() > untilMs) throw new Error(`${all.events} of ${events} events came`);
    await sleep(5);
  }
}

export const watchers: LabScenario = { name: 'watchers', title: 'Many watches of one collection', run };
