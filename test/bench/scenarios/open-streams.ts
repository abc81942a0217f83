/** What the proxy holds for connections that stay open and say nothing: execs, and logs that are followed. */
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { openUpgrade } from '../../support/open-upgrade.ts';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { POD, type PodWay, startPod } from '../pod.ts';
import { rssBytes } from '../process-usage.ts';
import type { Bench, LabScenario } from '../scenario.ts';

const KIB = 1_024;
const AT_ONCE = 20;
/** For what was let go to be given back. */
const SETTLE_MS = 5_000;
const ROUNDS = 6;

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const count = bench.quick ? 20 : 1_000;
  const { proxy } = await startPod(lab);
  const path = `/api/v1/namespaces/${proxy.namespace}/pods/${POD}`;
  const figures: Figure[] = [];
  for (const [name, open] of [
    ['exec', () => openExec(proxy, `${path}/exec?command=cat&stdin=true&stdout=true`)],
    ['followed log', () => follow(proxy, `${path}/log?follow=true`)],
  ] as const) {
    const rss = () => rssBytes(lab.proxy.pid) / KIB;
    const round = async (many: number): Promise<{ held: number; left: number }> => {
      const before = rss();
      bench.progress(`${name}: opening ${many}`);
      const all = await openAll(open, many);
      await sleep(SETTLE_MS);
      const held = rss() - before;
      for (const one of all) one[Symbol.dispose]();
      await sleep(SETTLE_MS);
      return { held: held / many, left: (rss() - before) / many };
    };
    // What the first one brings into memory is there once.
    await round(AT_ONCE);
    const first = await round(count);
    // Freed memory stays with the process, to be used again, and its heap grows for a while: only what grows on is lost.
    for (let done = 2; done < ROUNDS; done += 1) await round(count);
    const last = await round(count);
    const how = `VmRSS of the proxy, ${count} at once, each with a TLS connection of its own, over what it was before`;
    figures.push(
      { name: `memory for each open ${name}`, value: first.held, unit: 'KiB', how },
      {
        name: `lost with each ${name} that ended`,
        value: last.left,
        unit: 'KiB',
        how: `${how}; ${SETTLE_MS} ms after the last of ${ROUNDS} such rounds`,
      },
    );
  }
  return figures;
}

async function openAll(open: () => Promise<Disposable>, count: number): Promise<Disposable[]> {
  const all: Disposable[] = [];
  while (all.length < count) {
    const some = Math.min(AT_ONCE, count - all.length);
    all.push(...(await Promise.all(Array.from({ length: some }, open))));
  }
  return all;
}

async function openExec({ access }: PodWay, path: string): Promise<Disposable> {
  const opened = await openUpgrade({ ...access, path, protocol: 'websocket' });
  if (opened.status !== 101) throw new Error(`an exec was answered with ${opened.status}: ${opened.text}`);
  return opened;
}

function follow({ access }: PodWay, path: string): Promise<Disposable> {
  const { server, caPem: ca, certPem: cert, keyPem: key } = access;
  const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
  const outgoing = request(new URL(path, server), { agent: false, ca, cert, key });
  outgoing.on('error', reject);
  outgoing.once('response', (incoming) => {
    incoming.on('error', () => {});
    incoming.resume();
    if (incoming.statusCode === 200) resolve({ [Symbol.dispose]: () => outgoing.destroy() });
    else reject(new Error(`a log was answered with ${incoming.statusCode}`));
  });
  outgoing.end();
  return promise;
}

export const openStreams: LabScenario = { name: 'open-streams', title: 'A thousand connections into pods', run };
