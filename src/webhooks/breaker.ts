/**
 * A webhook that did not answer several times in a row is left alone for a while, and then asked once: who depends on it
 * is told at once, instead of holding requests for as long as its timeout. Refused connections are no reason: they cost
 * no time, and a webhook that is being started must be found at once.
 */
const DEFAULTS = { timeouts: 5, openMs: 5_000 };
const MOST_KEPT = 10_000;

interface State {
  timeouts: number;
  /** Until then it is not asked. */
  untilMs: number;
}

export class Breaker {
  readonly #states = new Map<string, State>();
  readonly #nowMs: () => number;
  readonly #timeouts: number;
  readonly #openMs: number;

  /** Left alone for `openMs` after `timeouts` in a row. */
  constructor(nowMs: () => number = Date.now, { timeouts, openMs } = DEFAULTS) {
    this.#nowMs = nowMs;
    this.#timeouts = timeouts;
    this.#openMs = openMs;
  }

  /** May it be asked? The first who asks after a while does so for all others. */
  mayAsk(webhook: string): boolean {
    const state = this.#states.get(webhook);
    if (state === undefined || state.timeouts < this.#timeouts) return true;
    if (this.#nowMs() < state.untilMs) return false;
    state.untilMs = this.#nowMs() + this.#openMs;
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
    this.#states.set(webhook, { timeouts, untilMs: this.#nowMs() + this.#openMs });
  }
}
