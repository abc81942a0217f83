import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answering, eventsOf, FakeClient, POD } from '../../test/support/fake-client.ts';
import { countWaitingBytes } from './waiting.ts';
import { writeReply } from './write.ts';

const LIMITS = { bytesPerTenant: 1_000, patienceMs: 2_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Begins to wait with so many bytes, and notes whether it was given up. */
function begin(waiting: ReturnType<ReturnType<typeof countWaitingBytes>>, bytes: number) {
  const waiter = { gaveUp: false, stop: () => {} };
  waiter.stop = waiting.begin(bytes, () => {
    waiter.gaveUp = true;
  });
  return waiter;
}

describe('what waits for slow clients', () => {
  it('may be as much as the limit, for as long as it takes', () => {
    const waiting = countWaitingBytes(LIMITS)('a');
    const waiters = [begin(waiting, 500), begin(waiting, 500)];
    vi.advanceTimersByTime(60_000);
    expect(waiters.map(({ gaveUp }) => gaveUp)).toEqual([false, false]);
  });

  it('is given up over the limit, the oldest first, and no more of it than must be', () => {
    const waiting = countWaitingBytes(LIMITS)('a');
    const waiters = [begin(waiting, 400), begin(waiting, 400)];
    vi.advanceTimersByTime(2_000);
    waiters.push(begin(waiting, 400));
    expect(waiters.map(({ gaveUp }) => gaveUp)).toEqual([true, false, false]);
  });

  it('may be more for a moment, when all have only begun to wait', () => {
    const waiting = countWaitingBytes(LIMITS)('a');
    const waiters = Array.from({ length: 5 }, () => begin(waiting, 400));
    vi.advanceTimersByTime(1_999);
    expect(waiters.some(({ gaveUp }) => gaveUp)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(waiters.map(({ gaveUp }) => gaveUp)).toEqual([true, true, true, false, false]);
  });

  it('counts no more once it was taken', () => {
    const waiting = countWaitingBytes(LIMITS)('a');
    const waiters = Array.from({ length: 5 }, () => begin(waiting, 400));
    for (const { stop } of waiters.slice(0, 3)) stop();
    vi.advanceTimersByTime(60_000);
    expect(waiters.some(({ gaveUp }) => gaveUp)).toBe(false);
  });

  it('is counted for each tenant apart', () => {
    const waitingOf = countWaitingBytes(LIMITS);
    const [one, other] = [begin(waitingOf('a'), 900), begin(waitingOf('b'), 900)];
    vi.advanceTimersByTime(60_000);
    expect([one.gaveUp, other.gaveUp]).toEqual([false, false]);
  });
});

describe('a watch that is not read', () => {
  it('holds one piece in its socket, and goes when its tenant’s watches wait with too much', async () => {
    const waiting = countWaitingBytes({ bytesPerTenant: 100_000, patienceMs: 2_000 })('a');
    const large = { type: 'ADDED' as const, object: { ...POD, data: { text: 'x'.repeat(900_000) } } };
    const client = new FakeClient();
    client.slow = true;
    const done = writeReply(client, { kind: 'watch', events: eventsOf(large) }, answering({ waiting }));
    await vi.advanceTimersByTimeAsync(1_999);
    expect([client.body.length <= 65_536, client.destroyed]).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(client.destroyed).toBe(true);
    expect(await done).toMatchObject({ why: 'client-slow' });
  });

  it('goes when nothing was taken for half a minute, also when it holds little', async () => {
    const client = new FakeClient();
    client.slow = true;
    let asked = 0;
    async function* events() {
      for (; asked < 100; asked++) yield { type: 'ADDED' as const, object: POD };
    }
    const done = writeReply(client, { kind: 'watch', events: events() }, answering());
    await vi.advanceTimersByTimeAsync(29_999);
    // No event is taken from upstream before the client has taken the one before.
    expect([client.destroyed, client.chunks.length, asked]).toEqual([false, 1, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect(client.destroyed).toBe(true);
    await done;
  });
});
