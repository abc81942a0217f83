import { describe, expect, it } from 'vitest';
import { createWorkQueue, type QueueClock } from './work-queue.ts';

/** A clock that moves when told to. */
function handClock(): QueueClock & { advance(ms: number): void } {
  let nowMs = 0;
  const timers = new Set<{ atMs: number; callback: () => void }>();
  return {
    nowMs: () => nowMs,
    timer(callback, ms) {
      const timer = { atMs: nowMs + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      nowMs += ms;
      for (const timer of [...timers].sort((a, b) => a.atMs - b.atMs)) {
        if (timer.atMs > nowMs) continue;
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}

/** Lets everything that is ready run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when the test says so. */
function gate() {
  const started: string[] = [];
  const open: Array<() => void> = [];
  return {
    started,
    work: (key: string) =>
      new Promise<undefined>((resolve) => {
        started.push(key);
        open.push(() => resolve(undefined));
      }),
    async release() {
      open.shift()?.();
      await settle();
    },
  };
}

describe('the work queue', () => {
  it('works once on a key that is added twice while it waits', async () => {
    const { started, work, release } = gate();
    const queue = createWorkQueue({ work, concurrency: 1 });
    for (const key of ['a', 'b', 'b', 'c']) queue.add(key);
    for (let i = 0; i < 4; i += 1) await release();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('works again on a key that is added during its work, after it', async () => {
    const { started, work, release } = gate();
    const queue = createWorkQueue({ work, concurrency: 4 });
    queue.add('a');
    queue.add('a');
    await settle();
    expect(started).toEqual(['a']);
    await release();
    expect(started).toEqual(['a', 'a']);
    await release();
    expect(started).toEqual(['a', 'a']);
  });

  it('works on as many keys at once as it may', async () => {
    const { started, work, release } = gate();
    const queue = createWorkQueue({ work, concurrency: 2 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await settle();
    expect(started).toEqual(['a', 'b']);
    await release();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('tries again later and later, and forgets failures after a success', async () => {
    const clock = handClock();
    const attempts: number[] = [];
    let fail = true;
    const queue = createWorkQueue({
      async work() {
        if (fail) throw new Error('no');
        return undefined;
      },
      concurrency: 1,
      clock,
      backoff: { firstMs: 100, capMs: 250, random: () => 1 },
      onError: (_key, _error, attempt) => attempts.push(attempt),
    });
    queue.add('a');
    await settle();
    for (const ms of [99, 1, 199, 1, 249, 1, 250]) {
      clock.advance(ms);
      await settle();
    }
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    fail = false;
    clock.advance(250);
    await settle();
    fail = true;
    queue.add('a');
    await settle();
    expect(attempts.at(-1)).toBe(1);
  });

  it('keeps the earlier of two appointments', async () => {
    const clock = handClock();
    const { started, work } = gate();
    const queue = createWorkQueue({ work, concurrency: 1, clock });
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 900);
    clock.advance(100);
    expect(started).toEqual(['a']);
    clock.advance(1_000);
    expect(started).toEqual(['a']);
  });

  it('comes back when the work asks for it', async () => {
    const clock = handClock();
    let worked = 0;
    const queue = createWorkQueue({
      async work() {
        worked += 1;
        return worked === 1 ? 1_000 : undefined;
      },
      concurrency: 1,
      clock,
    });
    queue.add('a');
    await settle();
    clock.advance(1_000);
    await settle();
    clock.advance(10_000);
    await settle();
    expect(worked).toBe(2);
  });

  it('stops when the work in progress has ended, and takes no more', async () => {
    const { started, work, release } = gate();
    const queue = createWorkQueue({ work, concurrency: 1 });
    queue.add('a');
    queue.add('b');
    let stopped = false;
    const stopping = queue.stop().then(() => {
      stopped = true;
    });
    queue.add('c');
    await settle();
    expect(stopped).toBe(false);
    await release();
    await stopping;
    expect(started).toEqual(['a']);
  });
});
