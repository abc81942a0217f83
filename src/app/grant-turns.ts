/**
 * How much of the process one tenant may use to have its roles and bindings weighed against what their writers hold. Most
 * take less than one step, which nobody counts.
 */
import type { GrantTurn } from '../authz/escalation.ts';
import { ApiError } from '../errors.ts';
import { CpuShare } from '../lib/cpu-share.ts';

/** A quarter of one core, with room for some roles of thousands of rules now and then. */
export function createGrantTurns(): GrantTurn {
  const share = new CpuShare({
    burstMs: 2_000,
    msPerSecond: 250,
    late: (_waitMs, cause) =>
      new ApiError('ERR_TIMEOUT', 'weighing what this grants took more time than there is; grant less at once', {
        cause,
      }),
  });
  return async (tenant, signal, step) => {
    signal.throwIfAborted();
    return await share.run(tenant.uid, signal, step);
  };
}
