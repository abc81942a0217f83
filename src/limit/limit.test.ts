import { describe, expect, it, vi } from 'vitest';
import { startDeadline } from './deadline.ts';
import { createLimiter } from './limit.ts';

const ACME = { tenant: { uid: 'a' }, username: 'ann' };
const BOB = { tenant: { uid: 'a' }, username: 'bob' };
const GLOBEX = { tenant: { uid: 'g' }, username: 'ann' };
const LIMITS = {
  requestsInFlight: 2,
  requestsInFlightPerUser: 2,
  requestsWaiting: 0,
  requestsPerSecond: undefined,
  watches: 2,
  watchesPerUser: 1,
};
const HERE = new AbortController().signal;

function limiter() {
  const made = createLimiter({ nowMs: () => 0 });
  const enter = (who: typeof ACME, limits = {}, long = false) =>
    made.enter(who, { ...LIMITS, ...limits }, long, HERE) as () => void;
  const wait = (who: typeof ACME, limits = {}) =>
    made.enter(who, { ...LIMITS, ...limits }, false, HERE) as Promise<() => void>;
  return { ...made, enter, wait };
}

describe('createLimiter', () => {
  it('lets in as many as the policy says, and says when to come back', () => {
    const one = limiter();
    const leave = one.enter(ACME);
    one.enter(ACME);
    expect(() => one.enter(ACME)).toThrow(
      expect.objectContaining({ status: 429, details: { retryAfterSeconds: 1 }, why: 'waiting' }),
    );
    leave();
    one.enter(ACME);
    expect(one.usage(ACME)).toEqual({
      requests: 2,
      requestsOfUser: 2,
      waiting: 0,
      watches: 0,
      watchesOfUser: 0,
    });
  });

  it('lets a request wait for its turn where the policy lets some wait', async () => {
    const one = limiter();
    const leave = one.enter(ACME, { requestsWaiting: 1 });
    one.enter(ACME, { requestsWaiting: 1 });
    const waiting = one.wait(ACME, { requestsWaiting: 1 });
    expect(one.usage(ACME)).toMatchObject({ requests: 2, waiting: 1, watches: 0 });
    leave();
    await waiting;
    expect(one.usage(ACME)).toMatchObject({ requests: 2, waiting: 0, watches: 0 });
  });

  it('counts watches apart, by user, and tenants apart', () => {
    const one = limiter();
    one.enter(ACME, {}, true);
    expect(() => one.enter(ACME, {}, true)).toThrow(expect.objectContaining({ why: 'watches-of-user' }));
    const leave = one.enter(BOB, {}, true);
    expect(() => one.enter({ ...BOB, username: 'carl' }, {}, true)).toThrow(
      expect.objectContaining({ why: 'watches' }),
    );
    leave();
    one.enter(BOB, {}, true);
    one.enter(ACME);
    one.enter(GLOBEX, {}, true);
    expect(one.usage(GLOBEX)).toMatchObject({ requests: 0, waiting: 0, watches: 1 });
    expect(one.usage(BOB)).toEqual({ requests: 1, requestsOfUser: 0, waiting: 0, watches: 2, watchesOfUser: 1 });
  });

  it('refuses who asks faster than the rate, and nobody else', () => {
    const one = limiter();
    const asked = Array.from({ length: 7 }, () => {
      try {
        one.enter(ACME, { requestsPerSecond: 3 })();
        return 'taken';
      } catch (error) {
        return (error as { why?: string }).why;
      }
    });
    expect(asked).toEqual([...Array<string>(6).fill('taken'), 'rate']);
    expect(() => one.enter(GLOBEX, { requestsPerSecond: 3 })).not.toThrow();
  });

  it('gives a place back once', () => {
    const one = limiter();
    one.enter(ACME);
    const leave = one.enter(ACME);
    leave();
    leave();
    expect(one.usage(ACME)).toMatchObject({ requests: 1 });
  });
});

describe('startDeadline', () => {
  it('fires when the time is up, and not after the answer', () => {
    vi.useFakeTimers();
    try {
      const late = startDeadline(new AbortController().signal, 1_000);
      const inTime = startDeadline(new AbortController().signal, 1_000);
      inTime.clear();
      vi.advanceTimersByTime(1_000);
      expect(late.signal.reason).toMatchObject({ status: 504, reason: 'Timeout' });
      expect(inTime.signal.aborted).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it('fires with the client’s going, for its reason', () => {
    const gone = new AbortController();
    const deadline = startDeadline(gone.signal, 60_000);
    gone.abort('gone');
    expect(deadline.signal.reason).toBe('gone');
    deadline.clear();
  });
});
