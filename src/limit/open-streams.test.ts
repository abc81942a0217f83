import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { createOpenStreams, type Judge, type OpenStreams } from './open-streams.ts';

const GONE = new ApiError('ERR_UNAUTHORIZED', 'gone', { why: 'tenant-gone' });
const FORBIDDEN = new ApiError('ERR_FORBIDDEN', 'no', { why: 'rbac' });
const REVOKED = new ApiError('ERR_UNAUTHORIZED', 'no', { why: 'token-revoked' });
const DOWN = new ApiError('ERR_UNAVAILABLE', 'down', { why: 'upstream-down' });

/** A clock that the test turns, and the one timer. */
class Lab {
  nowMs = 1_000_000;
  readonly timers: number[] = [];
  readonly faults: unknown[] = [];
  readonly streams: OpenStreams;
  #tick = (): void => {};

  constructor(options: { checksPerSweep?: number; checksAtOnce?: number } = {}) {
    this.streams = createOpenStreams({
      nowMs: () => this.nowMs,
      every: (periodMs, call) => {
        this.timers.push(periodMs);
        this.#tick = call;
        return () => this.timers.pop();
      },
      onFault: (error) => this.faults.push(error),
      ...options,
    });
  }

  /** The timer fires, and everything that follows from it is done. */
  async second(): Promise<void> {
    this.nowMs += 1_000;
    this.#tick();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

const nothing = (): void => {};
/** Holds, until the test says otherwise. */
class Answers implements Judge {
  refusal: unknown;
  tenantRefusal: unknown;
  asked = 0;
  tenant = (): void => {
    if (this.tenantRefusal !== undefined) throw this.tenantRefusal;
  };
  now = (): void => {
    this.asked++;
    if (this.refusal !== undefined) throw this.refusal;
  };
}

class Token {
  refusal: unknown;
  asked = 0;
  pending: Promise<void> | undefined;
  readonly judge: Judge;
  constructor(key: string) {
    const check = async (): Promise<void> => {
      this.asked++;
      await this.pending;
      if (this.refusal !== undefined) throw this.refusal;
    };
    this.judge = { tenant: nothing, now: nothing, credential: { key, check } };
  }
}

describe('what memory tells of open streams', () => {
  it.each([GONE, FORBIDDEN])('ends the one that $why names, and leaves the others open', async (refusal) => {
    const lab = new Lab();
    const [answers, others] = [new Answers(), new Answers()];
    const [stream, other] = [lab.streams.enter(answers), lab.streams.enter(others)];
    await lab.second();
    expect([stream.until.aborted, other.until.aborted]).toEqual([false, false]);
    answers.refusal = refusal;
    await lab.second();
    expect([stream.until.reason, other.until.aborted]).toEqual([refusal, false]);
  });

  it('is asked by one timer for all, once a second, and no more of those that have left', async () => {
    const lab = new Lab();
    const all = Array.from({ length: 1_000 }, () => new Answers());
    const [first, ...rest] = all.map((answers) => lab.streams.enter(answers));
    expect(lab.timers).toEqual([1_000]);
    await lab.second();
    expect(new Set(all.map(({ asked }) => asked))).toEqual(new Set([2]));
    for (const stream of rest) stream.leave();
    await lab.second();
    expect([all[0]?.asked, all[1]?.asked, lab.streams.size]).toEqual([3, 2, 1]);
    first?.leave();
    lab.streams[Symbol.dispose]();
    expect(lab.timers).toEqual([]);
  });

  it('counts from the beginning: what changed while the answer was prepared', () => {
    const answers = new Answers();
    answers.refusal = GONE;
    expect(new Lab().streams.enter(answers).until.reason).toBe(GONE);
  });

  it.each([DOWN, new TypeError('a fault')])(
    'ends a stream that nothing can be told about after a while',
    async (error) => {
      const lab = new Lab();
      const answers = new Answers();
      const stream = lab.streams.enter(answers);
      answers.refusal = error;
      for (let second = 0; second < 10; second++) await lab.second();
      expect(stream.until.aborted).toBe(false);
      answers.refusal = undefined;
      await lab.second();
      answers.refusal = error;
      for (let second = 0; second < 11; second++) await lab.second();
      expect(stream.until.reason).toMatchObject({ status: 503, why: 'not-rechecked' });
      expect(lab.faults).toContain(error);
    },
  );
});

describe('before each event', () => {
  it('the tenant is asked for, and the stream ends where it is not there', () => {
    const answers = new Answers();
    const stream = new Lab().streams.enter(answers);
    expect(stream.mayGoOn()).toBe(true);
    answers.tenantRefusal = GONE;
    expect([stream.mayGoOn(), stream.until.reason]).toEqual([false, GONE]);
    answers.tenantRefusal = undefined;
    expect(stream.mayGoOn()).toBe(false);
  });

  it('nothing goes out where the tenant is not known', () => {
    const answers = new Answers();
    const stream = new Lab().streams.enter(answers);
    answers.tenantRefusal = DOWN;
    expect([stream.mayGoOn(), stream.until.reason]).toEqual([false, expect.objectContaining({ status: 503 })]);
  });
});

describe('what the host tells of credentials', () => {
  it('ends all streams of a credential that no longer holds, and no other', async () => {
    const lab = new Lab();
    const [token, other] = [new Token('a'), new Token('b')];
    const streams = [token, token, other].map(({ judge }) => lab.streams.enter(judge));
    await lab.second();
    token.refusal = REVOKED;
    await lab.second();
    expect(streams.map(({ until }) => until.reason)).toEqual([REVOKED, REVOKED, undefined]);
  });

  it('is asked once for all streams of a credential, and not again while the host thinks', async () => {
    const lab = new Lab();
    const token = new Token('a');
    for (let count = 0; count < 100; count++) lab.streams.enter(token.judge);
    await lab.second();
    expect(token.asked).toBe(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    token.pending = promise;
    for (let second = 0; second < 5; second++) await lab.second();
    expect(token.asked).toBe(2);
    resolve();
    await lab.second();
    await lab.second();
    expect(token.asked).toBeGreaterThan(2);
  });

  it('is asked of some at a time, of each in its turn', async () => {
    const lab = new Lab({ checksPerSweep: 10, checksAtOnce: 2 });
    const tokens = Array.from({ length: 25 }, (_, at) => new Token(String(at)));
    for (const { judge } of tokens) lab.streams.enter(judge);
    await lab.second();
    expect(tokens.filter(({ asked }) => asked === 1)).toHaveLength(10);
    await lab.second();
    await lab.second();
    expect(tokens.every(({ asked }) => asked >= 1)).toBe(true);
  });

  it('is not waited for beyond a while: no answer, or none that tells', async () => {
    for (const silent of [true, false]) {
      const lab = new Lab();
      const token = new Token('a');
      if (silent) token.pending = new Promise(() => {});
      else token.refusal = DOWN;
      const stream = lab.streams.enter(token.judge);
      for (let second = 0; second < 10; second++) await lab.second();
      expect(stream.until.aborted).toBe(false);
      for (let second = 0; second < 3; second++) await lab.second();
      expect(stream.until.reason).toMatchObject({ status: 503, why: 'not-rechecked' });
    }
  });

  it('is asked of others when it does not answer for one', async () => {
    const lab = new Lab({ checksAtOnce: 1 });
    const [silent, other] = [new Token('a'), new Token('b')];
    silent.pending = new Promise(() => {});
    lab.streams.enter(silent.judge);
    const stream = lab.streams.enter(other.judge);
    for (let second = 0; second < 6; second++) await lab.second();
    expect(other.asked).toBe(0);
    for (let second = 0; second < 6; second++) await lab.second();
    expect([other.asked > 0, stream.until.aborted]).toEqual([true, false]);
  });

  it('is not asked for streams that have left', async () => {
    const lab = new Lab();
    const token = new Token('a');
    lab.streams.enter(token.judge).leave();
    await lab.second();
    expect(token.asked).toBe(0);
  });
});
