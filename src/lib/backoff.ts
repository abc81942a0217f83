/** Waiting between tries: doubling, capped, with jitter so that many who failed together do not return together. */
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

const UNTIL_DONE: BackoffOptions = { firstMs: 200, capMs: 10_000 };

/**
 * Tries until it succeeds: for what the process cannot start without.
 * @throws what was last thrown, when the signal ends the trying
 */
export async function untilDone<T>(
  signal: AbortSignal,
  onError: (error: unknown) => void,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      onError(error);
      if (!(await pause(backoffMs(failures, UNTIL_DONE), signal))) throw error;
    }
  }
}
