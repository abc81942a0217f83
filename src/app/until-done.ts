/** Tries until it succeeds: for what the process cannot start without. */
import { backoffMs, pause } from '../lib/backoff.ts';

const BACKOFF = { firstMs: 200, capMs: 10_000 };

/** @throws what was last thrown, when the signal ends the trying */
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
      if (!(await pause(backoffMs(failures, BACKOFF), signal))) throw error;
    }
  }
}
