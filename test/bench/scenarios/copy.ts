/** `kubectl cp` of one large file, into a pod and out of it, through the proxy and direct, by turns. */
import { randomBytes } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { kubectl, POD, type PodWay, startPod } from '../pod.ts';
import type { Bench, LabScenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const MEGABYTE = 1_000_000;
/** At least 0.8 times the direct bytes a second. */
const GOAL_RATIO = 1 / 0.8;

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const megabytes = bench.quick ? 20 : 500;
  const rounds = bench.quick ? 1 : 7;
  const { direct, proxy } = await startPod(lab);
  const [file, back] = [join(lab.folder, 'large'), join(lab.folder, 'back')];
  const part = randomBytes(MEGABYTE);
  await writeFile(file, Buffer.concat(Array.from({ length: megabytes }, () => part)));
  const copyIn = (way: PodWay) => timed(() => kubectl(lab, way, ['cp', file, `${POD}:large`]));
  const copyOut = async (way: PodWay): Promise<number> => {
    const ms = await timed(() => kubectl(lab, way, ['cp', `${POD}:large`, back]));
    if ((await stat(back)).size !== megabytes * MEGABYTE) throw new Error('what came out is not what went in');
    await rm(back);
    return ms;
  };
  const figures: Figure[] = [];
  for (const [name, copy] of [
    ['into a pod', copyIn],
    ['out of a pod', copyOut],
  ] as const) {
    const ratios: number[] = [];
    const [throughMs, directMs]: [number[], number[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      bench.progress(`${name}: round ${round} of ${rounds}`);
      const first = await copy(direct);
      const second = await copy(proxy);
      directMs.push(first);
      throughMs.push(second);
      ratios.push(second / first);
    }
    const how = `${megabytes} MB by kubectl cp; median of ${rounds} rounds, direct and through the proxy by turns`;
    figures.push(
      {
        name: `${name}: time against direct`,
        value: median(ratios),
        unit: 'ratio',
        goal: GOAL_RATIO,
        how,
        rounds: ratios,
      },
      { name: `${name}: time`, value: median(throughMs) / 1_000, unit: 's', how },
      { name: `${name}: time, direct`, value: median(directMs) / 1_000, unit: 's', how },
    );
  }
  return figures;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

export const copy: LabScenario = { name: 'cp', title: 'A large file into a pod and out of it', run };
