/**
 * What really runs on this machine, read from /proc (Linux). A zombie counts as gone: in a container without an init
 * process nobody collects it, yet it holds nothing.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The living processes of the given process groups. */
export function livingInGroups(groups: readonly number[]): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      const status = processStatus(pid);
      return status !== undefined && status.state !== 'Z' && groups.includes(status.group);
    });
}

/** Waits until `condition` holds. @throws when it does not within `timeoutMs`, with `what` as it is then */
export async function eventually(
  what: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadlineMs) {
      throw new Error(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`);
    }
    await sleep(50);
  }
}

function processStatus(pid: number): { state: string; group: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', , group = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, group: Number(group) };
  } catch {
    return undefined;
  }
}
