import { describe, expect, it } from 'vitest';
import type { WebhookAnswer, WebhookCall } from '../ports.ts';
import type { TenantId } from '../tenancy/names.ts';
import { Breaker } from './breaker.ts';
import { type HastyWebhooks, hastyWebhooks } from './hasty.ts';

const TIMEOUT: WebhookAnswer = { failure: 'context deadline exceeded', timedOut: true };
const REFUSED: WebhookAnswer = { failure: 'connection refused', timedOut: false };
const GOOD: WebhookAnswer = { document: {} };

function world() {
  const state = { nowMs: 0, asked: [] as number[], cut: [] as boolean[], opened: [] as string[] };
  const breaker = new Breaker(() => state.nowMs, { timeouts: 1, openMs: 10_000 });
  /** One question, whose webhooks answer this one after the other. */
  async function question(
    tenant: string,
    answers: readonly WebhookAnswer[],
    tookMs = 0,
    hasItsTime = true,
  ): Promise<WebhookAnswer[]> {
    const asking = begin(tenant, answers, tookMs, hasItsTime);
    const given: WebhookAnswer[] = [];
    for (const _ of answers) given.push(await asking.call(call(tenant)));
    asking.done();
    return given;
  }
  function begin(tenant: string, answers: readonly WebhookAnswer[], tookMs = 0, hasItsTime = true): HastyWebhooks {
    let asked = 0;
    return hastyWebhooks({
      webhooks: {
        async call({ timeoutMs, isCut }) {
          state.asked.push(timeoutMs);
          state.cut.push(isCut === true);
          state.nowMs += tookMs;
          return answers[asked++] ?? GOOD;
        },
      },
      tenant,
      breaker,
      hasItsTime,
      untilMs: state.nowMs + (hasItsTime ? 1_000 : 100),
      nowMs: () => state.nowMs,
      onOpen: () => state.opened.push(tenant),
    });
  }
  return { state, question, begin };
}

function call(uid: string): WebhookCall {
  const tenant = { id: uid as TenantId, uid, createdAt: '', phase: 'Active', clientCaPem: '', policy: '' } as const;
  const signal = new AbortController().signal;
  return { tenant, clientConfig: {}, body: {}, timeoutMs: 10_000, tellsTimeout: true, signal };
}

describe('webhooks of one question', () => {
  it('share its time', async () => {
    const { state, question } = world();
    expect(await question('a', [GOOD, GOOD], 400)).toEqual([GOOD, GOOD]);
    expect(state.asked).toEqual([1_000, 600]);
  });

  it('are not asked when there is none left', async () => {
    const { state, question } = world();
    const [, second] = await question('a', [GOOD, GOOD], 1_000);
    expect(second).toMatchObject({ timedOut: true });
    expect(state.asked).toEqual([1_000]);
  });

  it('are left alone from the first that takes too long, and so are all of that tenant’s for a while', async () => {
    const { state, question } = world();
    const [, second] = await question('a', [TIMEOUT, GOOD]);
    expect(second).toHaveProperty('failure');
    const [other] = await question('a', [GOOD]);
    expect(other).toHaveProperty('failure');
    expect(await question('b', [GOOD])).toEqual([GOOD]);
    expect(state.asked).toHaveLength(2);
    state.nowMs += 10_000;
    expect(await question('a', [GOOD])).toEqual([GOOD]);
    expect(await question('a', [GOOD])).toEqual([GOOD]);
  });

  it('are left alone still when one answers and the next hangs again', async () => {
    const { state, question } = world();
    await question('a', [TIMEOUT]);
    state.nowMs += 10_000;
    await question('a', [GOOD, TIMEOUT]);
    const [again] = await question('a', [GOOD]);
    expect(again).toHaveProperty('failure');
  });

  it('are not to blame when there was little time from the start', async () => {
    const { state, question } = world();
    expect(await question('a', [TIMEOUT], 100, false)).toEqual([TIMEOUT]);
    expect(await question('a', [GOOD])).toEqual([GOOD]);
    expect(state.opened).toEqual([]);
  });

  it('that hang are tried again by a question that has its time, and by no other', async () => {
    const { state, question } = world();
    await question('a', [TIMEOUT]);
    state.nowMs += 10_000;
    expect((await question('a', [GOOD], 0, false))[0]).toHaveProperty('failure');
    expect(await question('a', [GOOD])).toEqual([GOOD]);
    expect(await question('a', [GOOD], 0, false)).toEqual([GOOD]);
  });

  it('are left alone though an older question ends well after one hung', async () => {
    const { question, begin } = world();
    const older = begin('a', [GOOD]);
    expect(await older.call(call('a'))).toEqual(GOOD);
    await question('a', [TIMEOUT]);
    older.done();
    expect((await question('a', [GOOD]))[0]).toHaveProperty('failure');
  });

  it('are told to be cut where they have less time than their own', async () => {
    const { state, begin } = world();
    const asking = begin('a', []);
    await asking.call(call('a'));
    await asking.call({ ...call('a'), timeoutMs: 500 });
    expect(state.cut).toEqual([true, false]);
  });

  it('are told of once when they begin to be left alone', async () => {
    const { state, question } = world();
    await question('a', [TIMEOUT]);
    state.nowMs += 10_000;
    await question('a', [TIMEOUT]);
    expect(state.opened).toEqual(['a']);
  });

  it('are asked again at once when they cannot be reached', async () => {
    const { question } = world();
    expect(await question('a', [REFUSED])).toEqual([REFUSED]);
    expect(await question('a', [GOOD])).toEqual([GOOD]);
  });
});
