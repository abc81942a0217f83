/**
 * A watch, with the right to it looked at again while it goes on: the API server itself never does. What it has to tell
 * waits where the right is not known at the moment, and is never told where it is gone.
 */
import { backoffMs, pause } from '../lib/backoff.ts';
import { JUDGED_AGAIN_MS } from './limits.ts';

export type Verdict = 'yes' | 'no' | 'unknown';
export type Judge = () => Promise<Verdict>;

export interface JudgedOptions {
  readonly judge: Judge;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

const BACKOFF = { firstMs: 500, capMs: 5_000 };

/** @param events of a watch that has just been judged */
export async function* judged<Event>(events: AsyncIterable<Event>, options: JudgedOptions): AsyncGenerator<Event> {
  const { nowMs } = options;
  let judgedMs = nowMs();
  for await (const event of events) {
    if (nowMs() - judgedMs >= JUDGED_AGAIN_MS) {
      const atMs = nowMs();
      if (!(await mayGoOn(options))) return;
      judgedMs = atMs;
    }
    yield event;
  }
}

async function mayGoOn({ judge, signal }: JudgedOptions): Promise<boolean> {
  for (let failures = 1; ; failures += 1) {
    const verdict = await judge();
    if (verdict !== 'unknown') return verdict === 'yes';
    if (!(await pause(backoffMs(failures, BACKOFF), signal))) return false;
  }
}
