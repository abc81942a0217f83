/**
 * A webhook that did not answer several times in a row is left alone for a while, and then asked once: who depends on it
 * is told at once, instead of holding requests for as long as its timeout. Refused connections are no reason: they cost
 * no time, and a webhook that is being started must be found at once.
 */
const TIMEOUTS = 5;
const OPEN_MS = 5_000;
const MOST_KEPT = 10_000;

interface State {
  timeouts: number;
  /** Until then it is not asked. */
  untilMs: number;
}

export class Breaker {
  readonly #states = new Map<string, State>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** May it be asked? The first who asks after a while does so for all others. */
  mayAsk(webhook: string): boolean {
    const state = this.#states.get(webhook);
    if (state === undefined || state.timeouts < TIMEOUTS) return true;
    if (this.#nowMs() < state.untilMs) return false;
    state.untilMs = this.#nowMs() + OPEN_MS;
    return true;
  }

  /** It gave some answer, or none could be asked for. */
  answered(webhook: string): void {
    this.#states.delete(webhook);
  }

  timedOut(webhook: string): void {
    const timeouts = (this.#states.get(webhook)?.timeouts ?? 0) + 1;
    this.#states.delete(webhook);
    if (this.#states.size >= MOST_KEPT) this.#states.delete(this.#states.keys().next().value as string);
    this.#states.set(webhook, { timeouts, untilMs: this.#nowMs() + OPEN_MS });
  }
}
