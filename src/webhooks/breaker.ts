/**
 * A webhook that did not answer several times in a row is left alone for a while, and then asked once: who depends on it
 * is told at once, instead of holding requests for as long as its timeout. Refused connections are no reason: they cost
 * no time, and a webhook that is being started must be found at once.
 */
const DEFAULTS = { timeouts: 5, openMs: 5_000 };
const MOST_KEPT = 10_000;

interface State {
  readonly timeouts: number;
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

  /** Is it left alone until somebody who may ask has an answer? */
  isOpen(webhook: string): boolean {
    return (this.#states.get(webhook)?.timeouts ?? 0) >= this.#timeouts;
  }

  /** It gave some answer, or none could be asked for. */
  answered(webhook: string): void {
    this.#states.delete(webhook);
  }

  /** For {@link answeredTo}: what is known of it when a question begins. */
  known(webhook: string): unknown {
    return this.#states.get(webhook);
  }

  /** As `answered`, but says nothing against a timeout since the question began. */
  answeredTo(webhook: string, known: unknown): void {
    if (this.#states.get(webhook) === known) this.#states.delete(webhook);
  }

  /** @returns whether it is left alone from now on, and was not before */
  timedOut(webhook: string): boolean {
    const timeouts = (this.#states.get(webhook)?.timeouts ?? 0) + 1;
    this.#states.delete(webhook);
    if (this.#states.size >= MOST_KEPT) this.#states.delete(this.#states.keys().next().value as string);
    this.#states.set(webhook, { timeouts, untilMs: this.#nowMs() + this.#openMs });
    return timeouts === this.#timeouts;
  }
}
