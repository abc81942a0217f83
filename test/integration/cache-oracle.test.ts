/**
 * Writers, readers and informers at work at once, while the host in front of the proxy is broken in one way after the
 * other, and at every moment the question whether what was told can be true:
 *
 *   a read that asks for the newest has every write that was answered before it began
 *   what is read from memory is what the API server has at that revision, and never older than what was read before
 *   what an informer knows, at any revision, is what the API server has at that revision; each event follows the last. But
 *     for what changed twice while the host lost its history: the proxy's log says between which revisions that was
 *   the pages of a list are that list
 *   what an API server that has just started refuses, having not read its roles yet, is no refusal of the tenant
 *
 * `ORACLE_SECONDS=3600 npm test -- cache-oracle` for an hour of it; `ORACLE_SEED` for the same writes again.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../support/as-tenant.ts';
import { ALL, FaultLab, MAPS } from '../support/fault-lab.ts';
import { jsonOf, type RawAnswer } from '../support/http.ts';
import { breakUntil, FAULTS } from '../support/oracle/faults.ts';
import { History } from '../support/oracle/history.ts';
import { randomOf } from '../support/oracle/random.ts';
import { type Known, Reflector } from '../support/oracle/reflector.ts';
import { eventually } from '../support/processes.ts';

const SECONDS = Number(process.env['ORACLE_SECONDS'] ?? 25);
const SEED = Number(process.env['ORACLE_SEED'] ?? Date.now() % 1_000_000);
const WRITERS = 4;
const NAMES_EACH = 6;
const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const HOST = '/api/v1/namespaces/acme--default/configmaps';
const RUN = 'oracle%3Dyes';
const COLORS = ['red', 'blue', 'green'];
/** What informers look at. */
const SELECTIONS = [RUN, `${RUN},color%3Dred`, `${RUN},color+notin+(red,blue)`];

let lab: FaultLab;
const history = new History();
const faults: string[] = [];
const counts = { writes: 0, reads: 0, lists: 0, memory: 0, pages: 0, streams: 0, broken: 0 };

beforeAll(async () => {
  lab = await FaultLab.open();
});
afterAll(() => lab?.[Symbol.asyncDispose]());

/** What the tenant was refused, by status. */
const refusals = new Map<number, string>();

/** Undefined for what was not answered, or refused because the host is away. */
async function ask(path: string): Promise<RawAnswer | undefined> {
  const answer = await lab.acme.send(path).catch(() => undefined);
  if (answer?.status === 200 || answer?.status === 404) return answer;
  note(answer);
  return undefined;
}

function note(answer: RawAnswer | undefined): void {
  if (answer !== undefined && answer.status > 299) refusals.set(answer.status, answer.text.trim());
}

/** By the tenant or on the host itself, in turn. */
async function write(name: string, color: string | undefined, random: () => number): Promise<void> {
  const begunMs = performance.now();
  const labels = { oracle: 'yes', color };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data: { at: String(begunMs) } };
  const isOwn = random() < 0.6;
  const [collection, method] = [isOwn ? MAPS : HOST, color === undefined ? 'DELETE' : 'PUT'];
  const send = async (verb: string, path: string): Promise<{ status: number; body: KubeObject } | undefined> => {
    const body = verb === 'DELETE' ? undefined : object;
    if (!isOwn)
      return (await lab.admin.send(verb, path, body).catch(() => undefined)) as { status: number; body: KubeObject };
    const answer = await lab.acme
      .send(path, { method: verb, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
      .catch(() => undefined);
    note(answer);
    return answer && { status: answer.status, body: answer.status < 300 ? jsonOf<KubeObject>(answer) : {} };
  };
  let answer = await send(method, `${collection}/${name}`);
  if (answer?.status === 404 && color !== undefined) answer = await send('POST', collection);
  const isDone = answer !== undefined && answer.status < 300;
  const version = color === undefined ? '0' : answer?.body.metadata?.resourceVersion;
  // What is refused by a name that is not there has changed nothing.
  if (isDone || answer?.status !== 404)
    history.note(name, color === undefined, begunMs, isDone ? BigInt(version) : undefined);
  if (isDone) counts.writes += 1;
}

async function writer(at: number, isOver: () => boolean): Promise<void> {
  const random = randomOf(SEED + at);
  while (!isOver()) {
    const name = `o-${at}-${Math.floor(random() * NAMES_EACH)}`;
    await write(name, random() < 0.25 ? undefined : COLORS[Math.floor(random() * COLORS.length)], random);
    await sleep(random() * 60);
  }
}

async function reader(isOver: () => boolean): Promise<void> {
  const random = randomOf(SEED + 100);
  while (!isOver()) {
    const floor = history.floor();
    const name = `o-${Math.floor(random() * WRITERS)}-${Math.floor(random() * NAMES_EACH)}`;
    const answer = await ask(`${MAPS}/${name}`);
    if (answer === undefined) continue;
    const found = answer.status === 404 ? undefined : BigInt(jsonOf<KubeObject>(answer).metadata.resourceVersion);
    contradiction(history.contradiction(floor, name, found), 'a read');
    counts.reads += 1;
    await sleep(20);
  }
}

async function lister(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const floor = history.floor();
    const answer = await ask(`${ALL}?labelSelector=${RUN}`);
    if (answer === undefined) continue;
    const { items, metadata } = jsonOf<KubeObject>(answer);
    if (BigInt(metadata.resourceVersion) < floor.version)
      faults.push(`a list of revision ${metadata.resourceVersion} after a write of ${floor.version}`);
    const objects = versionsOf(items);
    for (const name of floor.writes.keys()) {
      const version = objects[name];
      contradiction(history.contradiction(floor, name, version === undefined ? undefined : BigInt(version)), 'a list');
    }
    counts.lists += 1;
    await paged();
    await sleep(50);
  }
}

/** A walk through pages against the host's own list of the revision that they are of. */
async function paged(): Promise<void> {
  const all: Record<string, string> = {};
  let version = '';
  for (let token = ''; ; ) {
    const more = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
    const answer = await ask(`${ALL}?labelSelector=${RUN}&limit=4${more}`);
    if (answer?.status !== 200) return;
    const { items, metadata } = jsonOf<KubeObject>(answer);
    if (version !== '' && metadata.resourceVersion !== version) faults.push('pages of two revisions');
    version = metadata.resourceVersion;
    Object.assign(all, versionsOf(items));
    token = metadata.continue ?? '';
    if (token === '') break;
  }
  if (await differs(RUN, { version, objects: all }, 'pages')) counts.pages += 1;
}

async function fromMemory(isOver: () => boolean): Promise<void> {
  let last = 0n;
  while (!isOver()) {
    const answer = await ask(`${ALL}?labelSelector=${RUN}&resourceVersion=0`);
    if (answer?.status === 200) {
      const { items, metadata } = jsonOf<KubeObject>(answer);
      const version = BigInt(metadata.resourceVersion);
      if (version < last) faults.push(`memory went back from ${last} to ${version}`);
      last = version;
      const known = { version: metadata.resourceVersion, objects: versionsOf(items) };
      if (await differs(RUN, known, 'memory')) counts.memory += 1;
    }
    await sleep(70);
  }
}

async function streams(reflectors: ReadonlyMap<Reflector, string>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    for (const [reflector, selection] of reflectors) {
      const { known } = reflector;
      if (known !== undefined && (await differs(selection, known, reflector.name, 'told'))) counts.streams += 1;
    }
    await sleep(100);
  }
}

/** Notes a fault where the host has something else at that revision. @returns false where the host does not say */
async function differs(
  selection: string,
  { version, objects }: Known,
  who: string,
  how: 'read' | 'told' = 'read',
): Promise<boolean> {
  const theirs = await hostAt(version, selection);
  if (theirs === undefined) return false;
  const names = Object.keys({ ...objects, ...theirs }).filter((name) => objects[name] !== theirs[name]);
  if (names.length === 0) return true;
  if (how === 'told' && (await changedAgain(version, names))) return false;
  const [is, should] = [sorted(objects), theirs].map((one) => JSON.stringify(one));
  faults.push(`${who} at ${version} is ${is}, and the host is ${should}`);
  return true;
}

async function hostAt(version: string, selection: string): Promise<Record<string, string> | undefined> {
  const path = `${HOST}?labelSelector=${selection}&resourceVersion=${version}&resourceVersionMatch=Exact`;
  const answer = await lab.admin.send('GET', path).catch(() => undefined);
  return answer?.status === 200 ? versionsOf((answer.body as KubeObject).items) : undefined;
}

/** Whether these had changed once more when the proxy read again what it had lost, so that nobody could be told of both. */
async function changedAgain(version: string, names: readonly string[]): Promise<boolean> {
  const log = await readFile(lab.product.facts.logPath, 'utf8');
  const gaps = log.split('\n').filter((line) => line.includes(READ_AGAIN) && line.includes('/configmaps"'));
  for (const line of gaps) {
    const { from, to } = JSON.parse(line) as { from: string; to: string };
    if (BigInt(version) <= BigInt(from) || BigInt(version) >= BigInt(to)) continue;
    const [then, after] = [await hostAt(version, RUN), await hostAt(to, RUN)];
    // Where the host does not say, it is not known that it is wrong.
    if (then === undefined || after === undefined) return true;
    return names.every((name) => then[name] !== after[name]);
  }
  return false;
}

const READ_AGAIN = 'what is kept was read again';

function versionsOf(items: readonly KubeObject[]): Record<string, string> {
  return sorted(Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion])));
}

function sorted(objects: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(objects).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function contradiction(what: string | undefined, who: string): void {
  if (what !== undefined) faults.push(`${who}: ${what}`);
}

it(`for ${SECONDS} seconds, whatever breaks, nothing is told that cannot be true`, {
  timeout: (SECONDS + 240) * 1_000,
}, async () => {
  const reflectors = new Map<Reflector, string>();
  for (const selection of SELECTIONS) {
    for (const [shape, headers] of [
      ['whole', {}],
      ['metadata', { accept: PARTIAL }],
    ] as const) {
      const open = (query: string) => lab.acme.watch(`${ALL}?labelSelector=${selection}&${query}`, headers);
      reflectors.set(new Reflector(`${shape} of ${decodeURIComponent(selection)}`, open), selection);
    }
  }
  for (const reflector of reflectors.keys()) reflector.start();
  const untilMs = Date.now() + SECONDS * 1_000;
  // On a busy machine longer, until everything was done at least once.
  const isDone = (): boolean =>
    Object.values(counts).every((count) => count > 0) && counts.broken >= FAULTS.length && Date.now() > untilMs;
  const isOver = (): boolean => faults.length > 0 || isDone();
  await Promise.all([
    breakUntil(lab, isOver, () => (counts.broken += 1)),
    ...Array.from({ length: WRITERS }, (_, at) => writer(at, isOver)),
    reader(isOver),
    lister(isOver),
    fromMemory(isOver),
    streams(reflectors, isOver),
  ]);
  await lab.recovered();

  // At rest, all of them know the same.
  await lab.makeOnHost('o-last');
  for (const [reflector, selection] of reflectors) {
    await eventually(`${reflector.name} knows what there is`, async () => {
      const answer = await ask(`${ALL}?labelSelector=${selection}`);
      if (answer?.status !== 200) return false;
      return (
        JSON.stringify(sorted(reflector.known?.objects ?? {})) ===
        JSON.stringify(versionsOf(jsonOf<KubeObject>(answer).items))
      );
    });
    await reflector.stop();
  }
  const told = [...reflectors.keys()].flatMap((reflector) => reflector.faults);
  expect(refusals.get(403)).toBeUndefined();
  process.stderr.write(`oracle, seed ${SEED}: ${JSON.stringify(counts)} ${JSON.stringify([...refusals])}\n`);
  expect({ seed: SEED, faults: [...faults, ...told].slice(0, 5) }).toEqual({ seed: SEED, faults: [] });
});
