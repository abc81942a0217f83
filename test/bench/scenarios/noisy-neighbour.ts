/**
 * Ten of fifty tenants are greedy, and what the others have of it: first by requests without end, then by objects that the
 * host's controllers have to work on (a Deployment of 900 pods each). The others are measured alone and beside them: how
 * long reads and writes take, and how long a Deployment of one pod takes until that runs.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Access, type BenchClient, getOrFail, openClient } from '../client.ts';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { node } from '../node.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { median, percentile } from '../statistics.ts';

const GREEDY = fileURLToPath(new URL('../greedy-process.ts', import.meta.url));
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PODS = '/api/v1/namespaces/default/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS_OF_NODE = 500;
const SETTLE_MS = 2_000;
const FAULT_MS = 600_000;
/** Beside the greedy, a calm tenant's request may take so many times as long as alone. */
const GOAL_RATIO = 3;

interface Sizes {
  readonly tenants: number;
  readonly greedy: number;
  readonly pods: number;
  /** Of each calm tenant. */
  readonly rounds: number;
  /** Deployments that are started. */
  readonly starts: number;
}

const FULL: Sizes = { tenants: 50, greedy: 10, pods: 900, rounds: 20, starts: 20 };
const QUICK: Sizes = { tenants: 5, greedy: 2, pods: 20, rounds: 3, starts: 2 };

/** What calm tenants had. */
interface Seen {
  readonly requestMs: readonly number[];
  readonly startMs: readonly number[];
}

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const sizes = bench.quick ? QUICK : FULL;
  await using stack = new AsyncDisposableStack();
  const accesses: Access[] = [];
  for (let at = 0; at < sizes.tenants; at++) accesses.push(await lab.onboard(`tenant-${at}`, 'shipped'));
  const greedy = accesses.slice(0, sizes.greedy);
  const calm = accesses.slice(sizes.greedy).map((access) => stack.use(openClient(access, { connections: 1 })));

  const measure = async (name: string): Promise<Seen> => {
    await sleep(SETTLE_MS);
    const seen = await look(calm, sizes, name);
    bench.progress(
      `${name}: request p99 ${percentile(seen.requestMs, 99).toFixed(1)} ms, pod ${median(seen.startMs).toFixed(0)} ms`,
    );
    return seen;
  };
  const alone = await measure('alone');
  const besideRequests = await (async () => {
    await using _load = await startGreedy(greedy);
    return await measure('requests');
  })();
  await makeRoom(lab, sizes.greedy * sizes.pods);
  for (const access of greedy) await deployMany(access, sizes.pods);
  const besideObjects = await measure('objects');
  return figures(sizes, alone, besideRequests, besideObjects);
}

function figures(sizes: Sizes, alone: Seen, besideRequests: Seen, besideObjects: Seen): Figure[] {
  const { tenants, greedy, pods, rounds, starts } = sizes;
  const calm = tenants - greedy;
  const how = `${rounds} rounds of a GET, a POST and a DELETE of a ConfigMap in each of ${calm} calm tenants, one after the other`;
  const howStart = `from the POST of a Deployment of one pod until the pod runs; ${starts} calm tenants, one after the other`;
  const kinds = [
    { name: 'alone', seen: alone },
    { name: `beside requests of ${greedy}`, seen: besideRequests },
    { name: `beside ${pods} pods each of ${greedy}`, seen: besideObjects },
  ];
  return kinds.flatMap(({ name, seen }): Figure[] => {
    const [p50, p99] = [median(seen.requestMs), percentile(seen.requestMs, 99)];
    const ratio: Figure = {
      name: `request p99, ${name} / alone`,
      value: p99 / percentile(alone.requestMs, 99),
      unit: 'ratio',
      goal: GOAL_RATIO,
      how,
    };
    return [
      { name: `request p50, ${name}`, value: p50, unit: 'ms', how },
      { name: `request p99, ${name}`, value: p99, unit: 'ms', how },
      ...(seen === alone ? [] : [ratio]),
      { name: `pod start, ${name}`, value: median(seen.startMs), unit: 'ms', how: howStart },
    ];
  });
}

async function look(calm: readonly BenchClient[], { rounds, starts }: Sizes, name: string): Promise<Seen> {
  const requestMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const client of calm) {
      const object = { metadata: { name: 'calm' }, data: { round: String(round) } };
      requestMs.push(
        await timed(() => mustBe(201, client.post(MAPS, object))),
        await timed(() => getOrFail(client, `${MAPS}/calm`)),
        await timed(() => mustBe(200, client.remove(`${MAPS}/calm`))),
      );
    }
  }
  const startMs: number[] = [];
  for (let at = 0; at < starts; at++) {
    const client = calm[at % calm.length];
    if (client !== undefined) startMs.push(await timed(() => startOne(client, `${name}-${at}`)));
  }
  return { requestMs, startMs };
}

async function startOne(client: BenchClient, name: string): Promise<void> {
  await mustBe(201, client.post(DEPLOYMENTS, deployment(name, 1)));
  const path = `${PODS}?labelSelector=${encodeURIComponent(`app=${name}`)}`;
  for (const untilMs = Date.now() + FAULT_MS; ; await sleep(20)) {
    const { items } = JSON.parse(String(await getOrFail(client, path))) as { items: { status?: { phase?: string } }[] };
    if (items.some(({ status }) => status?.phase === 'Running')) return;
    if (Date.now() > untilMs) throw new Error(`the pod of ${name} does not run`);
  }
}

/** On nodes, for so many pods: what is measured is who waits behind whom, not who has the last place. */
async function makeRoom({ admin }: Lab, pods: number): Promise<void> {
  for (let at = 0; at < Math.ceil(pods / PODS_OF_NODE); at++) {
    await admin.create('/api/v1/nodes', node(`noisy-${at}`, PODS_OF_NODE));
  }
}

async function deployMany(access: Access, pods: number): Promise<void> {
  await using client = openClient(access, { connections: 1 });
  await mustBe(201, client.post(DEPLOYMENTS, deployment('greedy', pods)));
}

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  const containers = [{ name: 'one', image: 'none' }];
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

async function startGreedy(accesses: readonly Access[]): Promise<AsyncDisposable> {
  const child = fork(GREEDY, { stdio: 'inherit' });
  const ended = once(child, 'exit');
  child.send(accesses);
  await Promise.race([once(child, 'message'), ended.then(() => Promise.reject(new Error('the greedy tenants ended')))]);
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

async function mustBe(status: number, answer: Promise<{ status: number; body: Buffer }>): Promise<void> {
  const { status: was, body } = await answer;
  if (was !== status)
    throw new Error(`answered with ${was} instead of ${status}: ${body.toString('utf8').slice(0, 500)}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

export const noisyNeighbour: Scenario = {
  name: 'noisy-neighbour',
  title: 'Ten greedy tenants of fifty, and what the others have of it',
  run,
};
