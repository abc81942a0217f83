/**
 * Where programs of clients stay between test runs: a folder below `~/.cache/kubeveil-clients` for each kind of program,
 * named by the hash of what it is made from, and made once however many test runs want it.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { waitForLock } from '../../../src/dev/lock.ts';
import { platform } from '../../../src/dev/versions.ts';

export interface Recipe {
  /** Such as `go`. */
  readonly kind: string;
  /** Folder whose files say what comes out. */
  readonly sources: string;
  /** What else does, such as the version of a compiler. */
  readonly also: readonly string[];
  /** Makes it in an empty folder, which keeps its path. */
  readonly make: (folder: string) => Promise<void>;
}

/** @returns the folder with what the recipe makes. @throws what `make` throws; then nothing is kept */
export async function cached({ kind, sources, also, make }: Recipe): Promise<string> {
  const base = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'kubeveil-clients');
  const folder = join(base, `${kind}-${hashOf(sources, also)}`);
  const done = join(folder, '.done');
  await using _lock = await waitForLock(`${folder}.lock`, (pid) =>
    tell(`waiting for process ${pid}, which makes ${kind}`),
  );
  if (existsSync(done)) return folder;
  // What a run left that was ended in the middle.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const startMs = performance.now();
  tell(`making the programs of ${kind}, once ...`);
  try {
    await make(folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  writeFileSync(done, '');
  tell(`made the programs of ${kind} in ${Math.round((performance.now() - startMs) / 1000)} s`);
  return folder;
}

function hashOf(sources: string, also: readonly string[]): string {
  const { os, arch } = platform();
  const hash = createHash('sha256').update([os, arch, ...also].join('\n'));
  for (const name of readdirSync(sources, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(sources, name);
    if (/\.(go|mod|sum|txt|toml|lock|rs)$/.test(name)) hash.update(`\n${name}\n`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

function tell(line: string): void {
  process.stderr.write(`clients: ${line}\n`);
}
