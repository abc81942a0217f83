/**
 * A collection that is large, read whole by one client: how long the proxy does nothing else meanwhile, and how much more
 * memory it takes. As one list, and object by object, as informers begin.
 */
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Access } from '../client.ts';
import type { Figure } from '../figures.ts';
import type { Lab } from '../lab.ts';
import { rssBytes } from '../process-usage.ts';
import type { Bench, LabScenario } from '../scenario.ts';

const MIB = 1_048_576;
const GOAL_MS = 20;
const SAMPLE_MS = 20;
const NAMESPACE = 'acme--default';
const INFORMER = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const END = 'initial-events-end';

interface Way {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const WAYS: readonly Way[] = [
  { name: 'LIST, JSON', path: '/api/v1/configmaps?resourceVersion=0', headers: {} },
  { name: 'LIST, gzip', path: '/api/v1/configmaps?resourceVersion=0', headers: { 'accept-encoding': 'gzip' } },
  { name: 'LIST, protobuf', path: '/api/v1/configmaps?resourceVersion=0', headers: { accept: PROTOBUF } },
  {
    name: 'LIST of one namespace, JSON',
    path: '/api/v1/namespaces/default/configmaps?resourceVersion=0',
    headers: {},
  },
  { name: 'an informer, JSON', path: `/api/v1/configmaps?${INFORMER}&resourceVersion=0`, headers: {} },
  {
    name: 'an informer, protobuf',
    path: `/api/v1/configmaps?${INFORMER}&resourceVersion=0`,
    headers: { accept: `${PROTOBUF};stream=watch` },
  },
];

async function run(lab: Lab, bench: Bench): Promise<Figure[]> {
  const objects = bench.quick ? 2_000 : 50_000;
  const tenant = await lab.onboard('acme');
  bench.progress(`making ${objects} ConfigMaps`);
  await fill(lab, objects);
  bench.progress('reading them for the first time');
  const figures: Figure[] = [];
  const first = { name: 'LIST, JSON, the first', path: '/api/v1/configmaps?resourceVersion=0', headers: {} };
  for (const way of [first, ...WAYS, ...WAYS.map((one) => ({ ...one, name: `${one.name}, again` }))]) {
    bench.progress(way.name);
    figures.push(...(await measure(lab, tenant, way, objects)));
  }
  return figures;
}

async function fill(lab: Lab, objects: number): Promise<void> {
  let left = objects;
  async function work(): Promise<void> {
    while (left > 0) {
      left -= 1;
      const metadata = { name: `map-${left}`, labels: { app: 'web' } };
      const data = { data: 'key = value\n'.repeat(80) };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
      await lab.admin.create(`/api/v1/namespaces/${NAMESPACE}/configmaps`, object);
    }
  }
  await Promise.all(Array.from({ length: 16 }, work));
}

async function measure(lab: Lab, tenant: Access, way: Way, objects: number): Promise<Figure[]> {
  await lab.proxy.memory();
  const before = rssBytes(lab.proxy.pid);
  await lab.proxy.startLoopDelay();
  const reading = read(tenant, way);
  let most = before;
  let isDone = false;
  void reading.finally(() => (isDone = true)).catch(() => {});
  while (!isDone) {
    most = Math.max(most, rssBytes(lab.proxy.pid));
    await sleep(SAMPLE_MS);
  }
  const bytes = await reading;
  const { maxMs } = await lab.proxy.stopLoopDelay();
  const how = `${objects} ConfigMaps, ${(bytes / MIB).toFixed(1)} MiB as they come`;
  const turn = `${how}; CPU of the main thread between two timers of a millisecond`;
  return [
    { name: `${way.name}: longest turn of the proxy`, value: maxMs, unit: 'ms', how: turn, goal: GOAL_MS },
    { name: `${way.name}: memory meanwhile`, value: (most - before) / MIB, unit: 'MiB', how: `${how}; VmRSS` },
  ];
}

/** @returns bytes of the answer; of a watch, up to the end of its initial events */
async function read({ server, caPem, certPem, keyPem }: Access, { path, headers }: Way): Promise<number> {
  const session: ClientHttp2Session = connect(server, { ca: caPem, cert: certPem, key: keyPem });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  session.on('error', reject);
  const stream = session.request({ ':path': path, accept: 'application/json', ...headers });
  stream.on('error', reject);
  stream.once('response', ({ ':status': status }) => {
    if (status !== 200) reject(new Error(`GET ${path} was answered with ${status}`));
  });
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (path.includes('watch=true') && chunk.includes(END)) resolve(bytes);
  });
  stream.once('end', () => resolve(bytes));
  try {
    return await promise;
  } finally {
    session.destroy();
  }
}

export const largeList: LabScenario = { name: 'large-list', title: 'A large collection, read whole', run };
