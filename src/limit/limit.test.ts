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
  requestsPerSecondPerUser: undefined,
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

/** What became of so many requests, by these in turn. */
function asked(
  one: ReturnType<typeof limiter>,
  who: readonly (typeof ACME)[],
  times: number,
  limits: object,
): string[] {
  return Array.from({ length: times }, (_, at) => {
    try {
      one.enter(who[at % who.length] ?? ACME, limits)();
      return 'taken';
    } catch (error) {
      return String((error as { why?: string }).why);
    }
  });
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

  it('refuses a tenant that asks faster than its rate, and nobody else', () => {
    const one = limiter();
    const rates = { requestsPerSecond: 3 };
    expect(asked(one, [ACME, BOB], 7, rates)).toEqual([...Array<string>(6).fill('taken'), 'rate']);
    expect(asked(one, [GLOBEX], 1, rates)).toEqual(['taken']);
  });

  it('refuses a user who asks faster than theirs, at no cost of the other users', () => {
    const one = limiter();
    const rates = { requestsPerSecond: 3, requestsPerSecondPerUser: 2 };
    expect(asked(one, [ACME], 20, rates)).toEqual([
      ...Array<string>(4).fill('taken'),
      ...Array<string>(16).fill('rate-of-user'),
    ]);
    expect(asked(one, [BOB], 3, rates)).toEqual(['taken', 'taken', 'rate']);
  });

  it('serves fewer at once of who asks for what is large', async () => {
    const made = createLimiter({ nowMs: () => 0, seats: 20 });
    const limits = { ...LIMITS, requestsInFlight: 50, requestsInFlightPerUser: 50, requestsWaiting: 100 };
    const order: string[] = [];
    const leaves: (() => void)[] = [];
    for (let at = 0; at < 90; at++) {
      for (const [who, answerBytes] of [
        [ACME, 1_000_000],
        [GLOBEX, 1_000],
      ] as const) {
        void Promise.resolve(made.enter(who, limits, false, HERE)).then((leave) => {
          order.push(who.tenant.uid);
          leaves.push(() => leave(answerBytes));
        });
      }
    }
    for (let at = 0; at < 80; at++) {
      await new Promise((resolve) => setImmediate(resolve));
      leaves[at]?.();
    }
    const large = order.slice(40, 80).filter((uid) => uid === 'a').length;
    expect(large).toBeGreaterThan(0);
    expect(large).toBeLessThan(10);
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
