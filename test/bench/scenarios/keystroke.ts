/** One byte to a program in a pod and back, as when somebody types: through the proxy and direct, by turns. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Exec, KubeConfig } from '@kubernetes/client-node';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { POD, type PodWay, startPod } from '../pod.ts';
import type { Bench, LabScenario } from '../scenario.ts';
import { median, percentile } from '../statistics.ts';

const GOAL_P50_MS = 1;

interface Typist extends Disposable {
  /** @returns how long the key took to come back, in milliseconds */
  type(): Promise<number>;
}

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const keys = bench.quick ? 50 : 1_000;
  const rounds = bench.quick ? 1 : 5;
  const ways = await startPod(lab);
  using direct = await sitDown(ways.direct);
  using proxy = await sitDown(ways.proxy);
  const added: number[] = [];
  const [throughMs, directMs]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const [one, other]: [number[], number[]] = [[], []];
    for (let key = 0; key < keys; key++) {
      // Who comes second finds warmer caches: by turns.
      if (key % 2 === 0) one.push(await direct.type());
      other.push(await proxy.type());
      if (key % 2 === 1) one.push(await direct.type());
    }
    // The first round warms up.
    if (round === 0) continue;
    bench.progress(`round ${round} of ${rounds}`);
    added.push(median(other) - median(one));
    throughMs.push(...other);
    directMs.push(...one);
  }
  const how = `exec of cat by WebSocket, ${keys} keys each way and round, by turns`;
  return [
    { name: 'added, p50', value: median(added), unit: 'ms', goal: GOAL_P50_MS, how, rounds: added },
    { name: 'p50', value: median(throughMs), unit: 'ms', how },
    { name: 'p50, direct', value: median(directMs), unit: 'ms', how },
    { name: 'p99', value: percentile(throughMs, 99), unit: 'ms', how },
    { name: 'p99, direct', value: percentile(directMs, 99), unit: 'ms', how },
  ];
}

async function sitDown({ kubeconfigPath, namespace }: PodWay): Promise<Typist> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfigPath);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const socket = await new Exec(config).exec(namespace, POD, POD, ['cat'], stdout, null, stdin, false);
  return {
    async type() {
      const startedMs = performance.now();
      const came = once(stdout, 'data');
      stdin.write('k');
      await came;
      return performance.now() - startedMs;
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

export const keystroke: LabScenario = { name: 'keystroke', title: 'One key to a program in a pod, and back', run };
