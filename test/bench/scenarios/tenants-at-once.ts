/**
 * A thousand tenants, several at a time, on a host that has none: how long until all of them work, and what each costs in
 * CPU.
 */
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { usedBy } from '../process-usage.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { use } from './tenant-create.ts';

const AT_ONCE = 8;
/** As many for each one of `--tenants`. */
const TIMES = 5;
const QUICK_TENANTS = 24;
/** 1,000 tenants within 60 seconds. */
const GOAL_EACH_MS = 60;

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const count = bench.quick ? QUICK_TENANTS : bench.tenants * TIMES;
  await use(await lab.onboard('warm-up'));
  const pids = { proxy: lab.proxy.pid, apiserver: lab.apiserverPid };
  const before = usedBy(pids);
  const startedMs = performance.now();
  let next = 0;
  async function worker(): Promise<void> {
    while (next < count) {
      const index = next++;
      await use(await lab.onboard(`tenant-${index}`));
      if ((index + 1) % 100 === 0) {
        bench.progress(`${index + 1} of ${count} tenants in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const eachMs = (performance.now() - startedMs) / count;
  const after = usedBy(pids);
  const cpuMs = (name: keyof typeof pids) => ((after[name] - before[name]) * 1_000) / count;
  const how = `${count} tenants, ${AT_ONCE} at a time, each used once`;
  const cpu = `/proc/<pid>/stat before and after, divided by the tenants: ${how}`;
  return [
    { name: 'all of them', value: (eachMs * count) / 1_000, unit: 's', how },
    { name: 'each', value: eachMs, unit: 'ms', goal: GOAL_EACH_MS, how: `the time of all, divided by ${count}` },
    { name: 'CPU of the proxy for each', value: cpuMs('proxy'), unit: 'ms', how: cpu },
    { name: 'CPU of the API server for each', value: cpuMs('apiserver'), unit: 'ms', how: cpu },
  ];
}

export const tenantsAtOnce: Scenario = { name: 'tenants-at-once', title: 'A thousand tenants, eight at a time', run };
