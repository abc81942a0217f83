import { describe, expect, it, vi } from 'vitest';
import { startDeadline } from './deadline.ts';
import { createLimiter } from './limit.ts';

const ACME = { uid: 'a' };
const GLOBEX = { uid: 'g' };
const LIMITS = { requestsInFlight: 2, watches: 1 };

describe('createLimiter', () => {
  it('lets in as many as the policy says, and says when to come back', () => {
    const limiter = createLimiter();
    const leave = limiter.enter(ACME, LIMITS, false);
    limiter.enter(ACME, LIMITS, false);
    expect(() => limiter.enter(ACME, LIMITS, false)).toThrow(
      expect.objectContaining({ status: 429, details: { retryAfterSeconds: 1 }, why: 'requests-in-flight' }),
    );
    leave();
    limiter.enter(ACME, LIMITS, false);
    expect(limiter.inFlight(ACME)).toEqual({ requests: 2, watches: 0 });
  });

  it('counts watches apart, and tenants apart', () => {
    const limiter = createLimiter();
    limiter.enter(ACME, LIMITS, true);
    expect(() => limiter.enter(ACME, LIMITS, true)).toThrow(expect.objectContaining({ why: 'watches' }));
    limiter.enter(ACME, LIMITS, false);
    limiter.enter(GLOBEX, LIMITS, true);
    expect(limiter.inFlight(GLOBEX)).toEqual({ requests: 0, watches: 1 });
  });

  it('gives a place back once', () => {
    const limiter = createLimiter();
    limiter.enter(ACME, LIMITS, false);
    const leave = limiter.enter(ACME, LIMITS, false);
    leave();
    leave();
    expect(limiter.inFlight(ACME)).toEqual({ requests: 1, watches: 0 });
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
