/**
 * Many tenants in a row: how long they take, whether the last ones take longer than the first, and what each of them,
 * idle, costs in memory. Every one must work as soon as it is made.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { rssBytes } from '../process-usage.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { median, slope } from '../statistics.ts';
import { use } from './tenant-create.ts';

const QUICK_TENANTS = 12;
/** Memory is looked at this often on the way. */
const LOOKS = 8;
/** Of the host's controllers to end what a batch of tenants gave them to do, before memory is looked at. */
const SETTLE_MS = 3_000;
const AT_ONCE = 8;
const GOAL_PROXY_KIB = 64;
const GOAL_APISERVER_KIB = 300;
/** 1,000 tenants within 60 seconds. */
const GOAL_EACH_MS = 60;

interface Look {
  readonly tenants: number;
  readonly proxyRssKib: number;
  readonly proxyHeapKib: number;
  readonly apiserverRssKib: number;
  readonly apiserverHeapKib: number;
}

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const count = bench.quick ? QUICK_TENANTS : bench.tenants;
  const settleMs = bench.quick ? 200 : SETTLE_MS;
  const step = Math.ceil(count / (bench.quick ? 3 : LOOKS));
  await use(await lab.onboard('warm-up'));
  const eachMs: number[] = [];
  const looks = [await look(lab, 0, settleMs)];
  while (eachMs.length < count) {
    const until = Math.min(eachMs.length + step, count);
    while (eachMs.length < until) {
      const startedMs = performance.now();
      await use(await lab.onboard(`row-${eachMs.length}`));
      eachMs.push(performance.now() - startedMs);
    }
    looks.push(await look(lab, eachMs.length, settleMs));
    bench.progress(`${eachMs.length} of ${count} tenants in ${seconds(eachMs)} s`);
  }
  bench.progress(`${count} more, ${AT_ONCE} at once`);
  const atOnceMs = await together(lab, count);
  return [...timeFigures(count, eachMs, atOnceMs), ...memoryFigures(count, looks)];
}

function timeFigures(count: number, eachMs: readonly number[], atOnceMs: number): Figure[] {
  const tenth = Math.max(1, Math.floor(count / 10));
  const first = median(eachMs.slice(0, tenth));
  const last = median(eachMs.slice(-tenth));
  return [
    {
      name: 'in a row, all of them',
      value: eachMs.reduce((sum, ms) => sum + ms, 0) / 1_000,
      unit: 's',
      how: `${count} tenants one after the other, each used once; pauses for the looks at memory left out`,
    },
    { name: 'in a row, each', value: median(eachMs), unit: 'ms', goal: 1_000, how: `median of the ${count}` },
    {
      name: 'last tenth / first tenth',
      value: last / first,
      unit: 'ratio',
      how: `median time of the last ${tenth} against that of the first ${tenth}: above 1, making a tenant gets slower the more there are`,
    },
    {
      name: `${AT_ONCE} at once, each`,
      value: atOnceMs / count,
      unit: 'ms',
      goal: GOAL_EACH_MS,
      how: `time of ${count} more tenants, ${AT_ONCE} at a time, each used once, divided by ${count}`,
    },
  ];
}

function memoryFigures(count: number, looks: readonly Look[]): Figure[] {
  const growth = (of: (look: Look) => number) => slope(looks.map((one) => [one.tenants, of(one)]));
  const how = `growth over ${count} idle tenants, looked at ${looks.length} times after ${SETTLE_MS / 1_000} s of quiet (Theil-Sen slope)`;
  const [before] = looks;
  const figures: Figure[] = [
    {
      name: 'idle tenant in the proxy, heap',
      value: growth((one) => one.proxyHeapKib),
      unit: 'KiB',
      goal: GOAL_PROXY_KIB,
      how: `used and external bytes of V8 after garbage collection; ${how}`,
    },
    {
      name: 'idle tenant in the proxy, RSS',
      value: growth((one) => one.proxyRssKib),
      unit: 'KiB',
      goal: GOAL_PROXY_KIB,
      how: `resident memory after garbage collection; ${how}`,
    },
    {
      name: 'idle tenant in the API server, heap',
      value: growth((one) => one.apiserverHeapKib),
      unit: 'KiB',
      goal: GOAL_APISERVER_KIB,
      how: `go_memstats_alloc_bytes after a collection; ${how}`,
    },
    {
      name: 'idle tenant in the API server, RSS',
      value: growth((one) => one.apiserverRssKib),
      unit: 'KiB',
      goal: GOAL_APISERVER_KIB,
      how: `resident memory, garbage that Go has not given back included; ${how}`,
    },
  ];
  if (before !== undefined) {
    figures.push({ name: 'the proxy without tenants, RSS', value: before.proxyRssKib / 1_024, unit: 'MiB', how });
  }
  return figures;
}

async function together(lab: Lab, count: number): Promise<number> {
  let next = 0;
  const startedMs = performance.now();
  async function worker(): Promise<void> {
    while (next < count) await use(await lab.onboard(`at-once-${next++}`));
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return performance.now() - startedMs;
}

async function look(lab: Lab, tenants: number, settleMs: number): Promise<Look> {
  await sleep(settleMs);
  const { heapBytes, externalBytes, rssBytes: proxyRssBytes } = await lab.proxy.memory();
  return {
    tenants,
    proxyRssKib: proxyRssBytes / 1_024,
    proxyHeapKib: (heapBytes + externalBytes) / 1_024,
    apiserverHeapKib: (await apiserverHeapBytes(lab)) / 1_024,
    apiserverRssKib: rssBytes(lab.apiserverPid) / 1_024,
  };
}

/** Asking for a heap profile with `gc=1` collects garbage first. */
async function apiserverHeapBytes(lab: Lab): Promise<number> {
  const profile = await lab.admin.send('GET', '/debug/pprof/heap?gc=1');
  if (profile.status !== 200) throw new Error(`the API server gave no heap profile: ${profile.status}`);
  const { body } = await lab.admin.send('GET', '/metrics');
  const match = /^go_memstats_alloc_bytes (\S+)$/m.exec(String(body));
  if (match === null) throw new Error('the metrics of the API server lack go_memstats_alloc_bytes');
  return Number(match[1]);
}

function seconds(eachMs: readonly number[]): string {
  return (eachMs.reduce((sum, ms) => sum + ms, 0) / 1_000).toFixed(1);
}

export const manyTenants: Scenario = { name: 'many-tenants', title: 'Many tenants, and what they cost idle', run };
