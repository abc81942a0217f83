import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Lock, tryLock, waitForLock } from './lock.ts';

let dir: string;
let path: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubeveil-lock-'));
  path = join(dir, 'lock');
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

async function take(): Promise<Lock> {
  const result = await tryLock(path);
  if ('heldBy' in result) throw new Error(`held by ${result.heldBy}`);
  return result;
}

describe('tryLock', () => {
  it('gives the lock once, names its holder, and gives it again after release', async () => {
    const lock = await take();
    expect(await tryLock(path)).toEqual({ heldBy: process.pid });
    await lock.release();
    expect(existsSync(path)).toBe(false);
    await (await take()).release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('gives the lock to one of many that ask at once', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => tryLock(path)));
    expect(results.filter((result) => !('heldBy' in result))).toHaveLength(1);
  });

  it.each([
    { whose: 'a process that has ended', content: () => JSON.stringify({ pid: spawnSync('true').pid, started: '1' }) },
    { whose: 'an earlier process with our id', content: () => JSON.stringify({ pid: process.pid, started: '1' }) },
    { whose: 'nobody readable', content: () => '{"pid":' },
  ])('takes over the lock of $whose', async ({ content }) => {
    writeFileSync(path, content());
    await using lock = await take();
    expect(lock).toBeDefined();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  it('does not release a lock that is not its own any more', async () => {
    const lock = await take();
    writeFileSync(path, 'somebody else');
    await lock.release();
    expect(readFileSync(path, 'utf8')).toBe('somebody else');
  });
});

describe('waitForLock', () => {
  it('tells who holds the lock and gets it after release', async () => {
    const lock = await take();
    const told = Promise.withResolvers<number>();
    const waiting = waitForLock(path, told.resolve);
    expect(await told.promise).toBe(process.pid);
    await lock.release();
    await (await waiting).release();
  });

  it('gives up when the signal aborts', async () => {
    await using _lock = await take();
    const controller = new AbortController();
    const waiting = waitForLock(path, () => controller.abort(), controller.signal);
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});
