/**
 * What mutates is run twice where the first run changed something: in the second, only those run again that asked for it,
 * ran before, and came before a change.
 *
 * @see k8s.io/apiserver pkg/admission/reinvocation.go, plugin/webhook/mutating/reinvocationcontext.go at v0.36
 */
import { cloneJson } from '../codec/json.ts';
import type { JsonObject } from '../k8s/types.ts';
import { sameJson } from '../lib/same-json.ts';

/** Of the policies of one request, or of its webhooks. */
export class Reinvocation {
  #last: JsonObject | undefined;
  #invoked = new Set<string>();
  readonly #again = new Set<string>();
  #round = 0;
  #hasChanged = false;

  /** 0, and 1 in the second run. */
  get round(): number {
    return this.#round;
  }

  /** True when something was changed in the first run. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** A run begins. @param object as it is by then; it may have been changed by others since the first run */
  async enter(object: () => Promise<JsonObject | undefined>): Promise<void> {
    if (this.#round === 0 || this.#invoked.size === 0) return;
    if (!sameJson(this.#last ?? null, (await object()) ?? null)) this.#requireInvoked();
  }

  again(): void {
    this.#round = 1;
  }

  /** May it run? In the first run all may. */
  mayRun(key: string): boolean {
    return this.#round === 0 || this.#again.has(key);
  }

  changed(): void {
    this.#hasChanged = true;
    this.#requireInvoked();
  }

  /** It has run, and asks to be run again after a change. */
  ran(key: string): void {
    this.#invoked.add(key);
  }

  /** A run is over. @param object as it is by then; asked for only where it is a matter of somebody who may run again */
  async leave(object: () => Promise<JsonObject | undefined>): Promise<void> {
    if (this.#invoked.size === 0) return;
    const last = await object();
    this.#last = last === undefined ? undefined : cloneJson(last);
  }

  #requireInvoked(): void {
    for (const key of this.#invoked) this.#again.add(key);
    this.#invoked = new Set();
  }
}
