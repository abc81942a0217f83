import { describe, expect, it } from 'vitest';
import type { WebhookAnswer, WebhookCall } from '../ports.ts';
import type { TenantId } from '../tenancy/names.ts';
import { Breaker } from './breaker.ts';
import { hastyWebhooks } from './hasty.ts';

const TIMEOUT: WebhookAnswer = { failure: 'context deadline exceeded', timedOut: true };
const REFUSED: WebhookAnswer = { failure: 'connection refused', timedOut: false };
const GOOD: WebhookAnswer = { document: {} };

function world() {
  const state = { nowMs: 0, asked: [] as number[] };
  const breaker = new Breaker(() => state.nowMs, { timeouts: 1, openMs: 10_000 });
  /** One question, whose webhooks answer this one after the other. */
  async function question(tenant: string, answers: readonly WebhookAnswer[], tookMs = 0): Promise<WebhookAnswer[]> {
    const webhooks = hastyWebhooks({
      webhooks: {
        async call({ timeoutMs }) {
          state.asked.push(timeoutMs);
          state.nowMs += tookMs;
          return answers[given.length] ?? GOOD;
        },
      },
      tenant,
      breaker,
      untilMs: state.nowMs + 1_000,
      nowMs: () => state.nowMs,
    });
    const given: WebhookAnswer[] = [];
    for (const _ of answers) given.push(await webhooks.call(call(tenant)));
    webhooks.done();
    return given;
  }
  return { state, question };
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

  it('are asked again at once when they cannot be reached', async () => {
    const { question } = world();
    expect(await question('a', [REFUSED])).toEqual([REFUSED]);
    expect(await question('a', [GOOD])).toEqual([GOOD]);
  });
});
