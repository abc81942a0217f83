/**
 * Several caches that have the same API server ask it in turn whether it is there, and believe each other's answers. Each by
 * itself would cost the API server, idle, as much again; with a thousand nodes that is a hundred requests a second for each.
 */
import { PULSE_MS, TICK_MS } from '../cache/cache.ts';

export interface TogetherOptions {
  readonly nowMs: () => number;
  /** Called when it is not there, or not what it was: none waits until it is its turn to ask. */
  readonly onSilence: () => void;
}

/** Less than the time between two questions of one cache: it does not believe its own last answer. */
const BELIEVED_MS = PULSE_MS - TICK_MS;

/** @returns asks, where nobody has just now */
export function together({ nowMs, onSilence }: TogetherOptions): (ask: () => Promise<boolean>) => Promise<boolean> {
  let last: { readonly atMs: number; readonly answer: Promise<boolean> } | undefined;

  async function answerTo(ask: () => Promise<boolean>): Promise<boolean> {
    const isThere = await ask();
    if (!isThere) onSilence();
    return isThere;
  }

  return (ask) => {
    if (last === undefined || nowMs() - last.atMs >= BELIEVED_MS) last = { atMs: nowMs(), answer: answerTo(ask) };
    return last.answer;
  };
}
