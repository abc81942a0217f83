/**
 * Webhooks for whoever cannot wait: while the host asks about an object, one of the few workers of a controller stands
 * still that makes objects for everybody. All calls of one question share its time. A tenant whose webhook has used all of
 * it once is told at once that it did not answer, for a while; each webhook's failurePolicy says what that means.
 */
import type { WebhookAnswer, Webhooks } from '../ports.ts';
import type { Breaker } from './breaker.ts';

export interface HastyOptions {
  readonly webhooks: Webhooks;
  /** Uid of the tenant. */
  readonly tenant: string;
  /** By that uid. */
  readonly breaker: Breaker;
  /** When the answers to this question have to be there. */
  readonly untilMs: number;
  readonly nowMs: () => number;
}

export interface HastyWebhooks extends Webhooks {
  /** The question is answered: whether any was too slow is known. */
  done(): void;
}

/** For one question about one object of a tenant. */
export function hastyWebhooks({ webhooks, tenant, breaker, untilMs, nowMs }: HastyOptions): HastyWebhooks {
  let state: 'unasked' | 'asking' | 'left-alone' = 'unasked';
  return {
    async call(call): Promise<WebhookAnswer> {
      if (state === 'unasked') state = breaker.mayAsk(tenant) ? 'asking' : 'left-alone';
      if (state === 'left-alone') return LEFT_ALONE;
      const leftMs = untilMs - nowMs();
      const answer: WebhookAnswer =
        leftMs <= 0 ? OVER : await webhooks.call({ ...call, timeoutMs: Math.min(call.timeoutMs, leftMs) });
      if ('failure' in answer && answer.timedOut === true) {
        breaker.timedOut(tenant);
        state = 'left-alone';
      }
      return answer;
    },
    done() {
      if (state === 'asking') breaker.answered(tenant);
    },
  };
}

const OVER: WebhookAnswer = {
  failure: 'context deadline exceeded, in the time that there is for objects of controllers',
  timedOut: true,
};
const LEFT_ALONE: WebhookAnswer = {
  failure: 'context deadline exceeded, as for the calls before: webhooks of this cluster are left alone for a moment',
};
