/**
 * The time of one question of the host. A tenant whose question has used all of it once has little for a while, until one
 * that is given it all again ends in time.
 */
import { type Deadline, startDeadline } from '../limit/deadline.ts';
import type { Breaker } from '../webhooks/breaker.ts';

export interface QuestionTimeOptions {
  /** By the uid of tenants. */
  readonly breaker: Breaker;
  /** Uid of the tenant. */
  readonly tenant: string;
  /** Fires when the host hangs up. */
  readonly gone: AbortSignal;
  readonly longMs: number;
  readonly shortMs: number;
  /** The tenant has little time from now on; told once, until a question ends in time again. */
  readonly onOpen: () => void;
}

export interface QuestionTime extends Pick<Deadline, 'signal'> {
  /** Only then what it takes says anything of the tenant. */
  readonly isLong: boolean;
  /** The question has ended, in whatever way. */
  done(): void;
}

export function startQuestionTime({ breaker, tenant, gone, ...options }: QuestionTimeOptions): QuestionTime {
  const isLong = breaker.mayAsk(tenant);
  const known = breaker.known(tenant);
  const deadline = startDeadline(gone, isLong ? options.longMs : options.shortMs);
  const { signal } = deadline;
  return {
    isLong,
    signal,
    done() {
      deadline.clear();
      // What runs out of the little time says nothing. The host that hangs up gives its own reason.
      if (!isLong) return;
      if (!signal.aborted || signal.reason === gone.reason) breaker.answeredTo(tenant, known);
      else if (breaker.timedOut(tenant)) options.onOpen();
    },
  };
}
