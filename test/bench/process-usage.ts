/**
 * What another process has used, as Linux counts it.
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clock ticks a second in /proc: fixed for user space on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU seconds, user and system, of all threads together, since the process began. Counted in steps of 10 ms. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Memory that is in RAM, shared pages counted. */
export function rssBytes(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (match === null) throw new Error(`process ${pid} tells no VmRSS: it has ended, or this is no Linux`);
  return Number(match[1]) * 1_024;
}

/** The same of several processes, by their names. */
export function usedBy<Name extends string>(pids: Readonly<Record<Name, number>>): Record<Name, number> {
  return eachOf(pids, cpuSeconds);
}

/** What processes use while nobody asks anything of them, in seconds of CPU per second. */
export async function idleUse<Name extends string>(
  pids: Readonly<Record<Name, number>>,
  overMs: number,
): Promise<Record<Name, number>> {
  const before = usedBy(pids);
  const startedMs = performance.now();
  await sleep(overMs);
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = usedBy(pids);
  return eachOf(pids, (_pid, name) => (after[name] - before[name]) / seconds);
}

function eachOf<Name extends string>(
  pids: Readonly<Record<Name, number>>,
  of: (pid: number, name: Name) => number,
): Record<Name, number> {
  const names = Object.keys(pids) as Name[];
  return Object.fromEntries(names.map((name) => [name, of(pids[name], name)])) as Record<Name, number>;
}

/** @throws {Error} where there is no /proc */
export function needProc(): void {
  try {
    readdirSync('/proc/self/task');
  } catch (cause) {
    throw new Error('the benchmarks read /proc, which this system has not: run them on Linux', { cause });
  }
}
