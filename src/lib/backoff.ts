/** Waiting between tries: doubling, capped, with full jitter so that many who failed together do not return together. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface BackoffOptions {
  firstMs: number;
  capMs: number;
  random?: () => number;
}

/** How long to wait before try `attempt` (1 is the first retry). */
export function backoffMs(attempt: number, options: BackoffOptions): number {
  const ceiling = Math.min(options.capMs, options.firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling * (0.5 + 0.5 * (options.random ?? Math.random)()));
}

/** Sleeps; returns false at once when the signal ends it. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
