/**
 * A lock between processes on one machine: a file that names its holder. A holder that died without unlocking is
 * recognised by its process id and start time, and its lock is taken over.
 */

import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 500;

export interface Lock extends AsyncDisposable {
  release(): Promise<void>;
}

/**
 * Takes the lock if nobody living holds it.
 * @returns the lock, or the process id of its holder
 */
export async function tryLock(path: string): Promise<Lock | { readonly heldBy: number }> {
  await mkdir(dirname(path), { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, started: await startTime(process.pid), id: randomUUID() });
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, mine, { mode: 0o600 });
  try {
    for (;;) {
      try {
        // A link appears whole or not at all, so nobody ever reads half a lock.
        await link(temporary, path);
        return heldLock(path, mine);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const current = await readFile(path, 'utf8').catch(() => undefined);
      if (current === undefined) continue;
      const holder = await livingHolder(current);
      if (holder !== undefined) return { heldBy: holder };
      await removeStale(path, current);
    }
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Waits for the lock; `onWait` hears once who holds it. @throws the signal's reason when it aborts */
export async function waitForLock(path: string, onWait: (pid: number) => void, signal?: AbortSignal): Promise<Lock> {
  let told = false;
  for (;;) {
    const result = await tryLock(path);
    if (!('heldBy' in result)) return result;
    if (!told) onWait(result.heldBy);
    told = true;
    await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal });
  }
}

function heldLock(path: string, mine: string): Lock {
  async function release(): Promise<void> {
    if ((await readFile(path, 'utf8').catch(() => '')) === mine) await rm(path, { force: true });
  }
  return { release, [Symbol.asyncDispose]: release };
}

/** Moves the dead holder's file away; puts it back when it turns out to be a newer, living one. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

async function livingHolder(content: string): Promise<number | undefined> {
  let pid: unknown;
  let started: unknown;
  try {
    ({ pid, started } = JSON.parse(content) as { pid?: unknown; started?: unknown });
  } catch {
    return undefined;
  }
  if (typeof pid !== 'number') return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  return (await startTime(pid)) === started ? pid : undefined;
}

/** Start of a process in clock ticks since boot, which tells a process from a later one with its id; '' off Linux. */
async function startTime(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The command name may hold spaces and brackets: fields are counted after the last bracket. Field 22 of proc(5).
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
