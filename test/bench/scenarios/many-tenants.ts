/**
 * Many tenants in a row: how long they take, whether the last ones take longer than the first, and what each of them,
 * idle, costs in memory; and what they cost those who are no tenants. Every one must work as soon as it is made.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../figures.ts';
import { costFigures, type HostCosts, hostUser, measureBoth } from '../host-cost.ts';
import { type Lab, startLab } from '../lab.ts';
import { rssBytes } from '../process-usage.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { median, slope } from '../statistics.ts';
import { use } from './tenant-create.ts';

const QUICK_TENANTS = 12;
/** Memory is looked at this often on the way. */
const LOOKS = 8;
/** Of the host's controllers to end what a batch of tenants gave them to do, before memory is looked at. */
const SETTLE_MS = 3_000;
const GOAL_PROXY_KIB = 64;
const GOAL_APISERVER_KIB = 300;

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
    bench.progress(`${eachMs.length} of ${count} tenants in ${seconds(eachMs)} s; KiB: ${shownLook(looks.at(-1))}`);
  }
  return [
    ...timeFigures(count, eachMs),
    ...memoryFigures(count, looks),
    ...costFigures(count, await hostCosts(lab, bench)),
  ];
}

/** The other host is started when the memory of the first has been looked at. */
async function hostCosts(lab: Lab, bench: Bench): Promise<HostCosts> {
  bench.progress('what a request of the host’s own costs, against a host without tenants');
  await using empty = await startLab(bench.progress);
  await using without = await hostUser(empty);
  await using crowded = await hostUser(lab);
  return await measureBoth(bench, { without, with: crowded });
}

function timeFigures(count: number, eachMs: readonly number[]): Figure[] {
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
    figures.push({
      name: 'the proxy with one tenant, RSS',
      value: before.proxyRssKib / 1_024,
      unit: 'MiB',
      how: 'resident memory after garbage collection, before the others were made',
    });
  }
  return figures;
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

function shownLook(look: Look | undefined): string {
  if (look === undefined) return '';
  const { proxyHeapKib, proxyRssKib, apiserverHeapKib, apiserverRssKib } = look;
  const [heap, rss, hostHeap, hostRss] = [proxyHeapKib, proxyRssKib, apiserverHeapKib, apiserverRssKib].map(Math.round);
  return `proxy ${heap} heap, ${rss} RSS; API server ${hostHeap} heap, ${hostRss} RSS`;
}

function seconds(eachMs: readonly number[]): string {
  return (eachMs.reduce((sum, ms) => sum + ms, 0) / 1_000).toFixed(1);
}

export const manyTenants: Scenario = { name: 'many-tenants', title: 'Many tenants, and what they cost idle', run };
