/**
 * What is kept, written down to go on from after a restart: two files for each collection, its objects (one a line, as
 * JSON) and what they are (`.head`): the revision they are complete up to, the cluster they are of, and the digest of the
 * objects, so that two halves that do not belong together are never taken for a whole. A file that is odd in any way is
 * as good as none.
 *
 * Secrets and what is kept by its name are never written down; `collections.ts` says what may be.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chunk } from '../cache/chunk.ts';
import type { Reading, Snapshot } from '../cache/view.ts';
import { readObject, stringifyJson } from '../codec/json.ts';
import { child, text } from '../k8s/read.ts';

export interface Snapshots {
  /** Undefined when there is none that holds. */
  load(key: string): Promise<Reading | undefined>;
  save(key: string, list: Reading['list'], state: Snapshot): Promise<void>;
}

export interface SnapshotsOptions {
  readonly folder: string;
  /** Tells the cluster from any other, and from itself before it was set up anew. */
  readonly cluster: () => string | undefined;
  readonly onError: (error: unknown) => void;
}

const FORMAT = 'kubeveil-node-cache/1';
const NEWLINE = Buffer.from('\n');

interface Written {
  readonly chunks: readonly Chunk[];
  readonly digest: string;
  readonly version: string;
}

export function createSnapshots({ folder, cluster, onError }: SnapshotsOptions): Snapshots {
  const written = new Map<string, Written>();

  async function write(key: string, list: Reading['list'], { version, chunks }: Snapshot, of: string): Promise<void> {
    const last = written.get(key);
    if (last?.version === version) return;
    const file = fileOf(folder, key);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    let digest = last?.digest;
    // What is told of progress alone changes no object.
    if (digest === undefined || last?.chunks !== chunks) {
      const lines = chunks.flatMap(({ items }) => items.flatMap(({ json }) => [json, NEWLINE]));
      digest = digestOf(lines);
      await replace(file, lines);
    }
    const head = stringifyJson({ format: FORMAT, key, cluster: of, version, list: { ...list }, digest });
    await replace(`${file}.head`, [Buffer.from(head)]);
    written.set(key, { chunks, digest, version });
  }

  return {
    async load(key) {
      const of = cluster();
      if (of === undefined) return undefined;
      try {
        const file = fileOf(folder, key);
        const head = readObject(await readFile(`${file}.head`));
        if (text(head, 'format') !== FORMAT || text(head, 'key') !== key || text(head, 'cluster') !== of)
          return undefined;
        const bytes = await readFile(file);
        if (digestOf([bytes]) !== text(head, 'digest')) return undefined;
        const lines = bytes.toString('utf8').split('\n').slice(0, -1);
        const list = child(head, 'list');
        return {
          version: text(head, 'version'),
          objects: lines.map((line) => readObject(Buffer.from(line))),
          list: { apiVersion: text(list, 'apiVersion'), kind: text(list, 'kind') },
        };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onError(error);
        return undefined;
      }
    },
    async save(key, list, state) {
      const of = cluster();
      if (of === undefined) return;
      try {
        await write(key, list, state, of);
      } catch (error) {
        onError(error);
      }
    },
  };
}

function fileOf(folder: string, key: string): string {
  return join(folder, createHash('sha256').update(key).digest('hex').slice(0, 32));
}

function digestOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** All of it or nothing, whenever the power fails. */
async function replace(file: string, parts: readonly Uint8Array[]): Promise<void> {
  const next = `${file}.next`;
  const handle = await open(next, 'w', 0o600);
  try {
    await handle.writeFile(Buffer.concat(parts));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
}
