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
  /** Without, there is so little time that a webhook that does not answer in it may well be a good one. */
  readonly hasItsTime: boolean;
  /** When the answers to this question have to be there. */
  readonly untilMs: number;
  readonly nowMs: () => number;
  /** The tenant's webhooks are left alone from now on; told once, until they answer in time again. */
  readonly onOpen: () => void;
}

export interface HastyWebhooks extends Webhooks {
  /** The question is answered: whether any was too slow is known. */
  done(): void;
}

/** For one question about one object of a tenant. */
export function hastyWebhooks(options: HastyOptions): HastyWebhooks {
  const { webhooks, tenant, breaker, hasItsTime, untilMs, nowMs, onOpen } = options;
  let state: 'unasked' | 'asking' | 'left-alone' = 'unasked';
  const known = breaker.known(tenant);
  // The one trial after a while is for whoever has the time to find out.
  const mayAsk = (): boolean => (hasItsTime ? breaker.mayAsk(tenant) : !breaker.isOpen(tenant));
  return {
    async call(call): Promise<WebhookAnswer> {
      if (state === 'unasked') state = mayAsk() ? 'asking' : 'left-alone';
      if (state === 'left-alone') return LEFT_ALONE;
      const leftMs = untilMs - nowMs();
      const isCut = leftMs < call.timeoutMs;
      const timeoutMs = isCut ? leftMs : call.timeoutMs;
      const answer: WebhookAnswer = leftMs <= 0 ? OVER : await webhooks.call({ ...call, timeoutMs, isCut });
      if ('failure' in answer && answer.timedOut === true) {
        if (hasItsTime && breaker.timedOut(tenant)) onOpen();
        state = 'left-alone';
      }
      return answer;
    },
    done() {
      if (state === 'asking') breaker.answeredTo(tenant, known);
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
