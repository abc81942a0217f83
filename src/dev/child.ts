/**
 * A program started by us that never outlives us, not even when we are killed with -9, and never receives the
 * terminal's Ctrl-C, so that whoever starts several programs can stop them in order.
 *
 * How: a shell starts a watcher in the background and then becomes the program (`exec`), in a process group of its
 * own. The watcher waits on a pipe whose other end only we hold. When we are gone the pipe ends and the watcher kills
 * the group; when the program is gone first we send the watcher a word, and it leaves. A process id cannot be taken by
 * another process while it names a living group, so the watcher can never hit a stranger.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';

const SHELL_SCRIPT =
  '(read -r word <&3 || kill -s KILL -- "-$$") </dev/null >/dev/null 2>&1 & exec "$@" 3<&- </dev/null';

/** What a program needs from our environment. Nothing else passes: ETCD_* and KUBE* variables would change programs. */
const PASSED_ENV = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const;

export interface ChildSpec {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Standard output and error are appended here. */
  readonly logPath: string;
  readonly cwd?: string;
  /** Added to the few variables that pass by themselves. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly spec: ChildSpec;
  readonly pid: number;
  /** Resolves when the program has ended; never rejects. */
  readonly exited: Promise<ExitStatus>;
  readonly running: boolean;
  /** Sends a signal to the program alone (SIGSTOP and SIGCONT too). False when it has ended. */
  signal(signal: NodeJS.Signals): boolean;
  /** Asks the program to end, kills its whole group after `graceMs`, and resolves when it has ended. */
  stop(graceMs: number): Promise<ExitStatus>;
  /** Kills the whole group at once. */
  kill(): Promise<ExitStatus>;
}

/** Starts a program. @throws when there is no `sh` or the log file cannot be opened. */
export async function startChild(spec: ChildSpec): Promise<Child> {
  const log = openSync(spec.logPath, 'a');
  let shell: ChildProcess;
  try {
    shell = spawn('sh', ['-c', SHELL_SCRIPT, spec.name, spec.file, ...spec.args], {
      detached: true,
      stdio: ['ignore', log, log, 'pipe'],
      env: { ...passedEnv(), ...spec.env },
      ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
    });
  } finally {
    closeSync(log);
  }
  const lifeline = shell.stdio[3] as Writable;
  lifeline.on('error', () => {});

  const { promise: exited, resolve } = Promise.withResolvers<ExitStatus>();
  shell.once('exit', (code, signal) => {
    lifeline.end('ended\n');
    resolve({ code, signal });
  });
  await once(shell, 'spawn');
  const pid = shell.pid as number;
  const isRunning = () => shell.exitCode === null && shell.signalCode === null;

  function signalTo(target: number, signal: NodeJS.Signals): boolean {
    if (!isRunning()) return false;
    try {
      return process.kill(target, signal);
    } catch {
      return false;
    }
  }

  return {
    spec,
    pid,
    exited,
    get running() {
      return isRunning();
    },
    signal: (signal) => signalTo(pid, signal),
    async stop(graceMs) {
      signalTo(pid, 'SIGTERM');
      // A frozen program gets the SIGTERM only when it runs again.
      signalTo(pid, 'SIGCONT');
      const timer = setTimeout(() => signalTo(-pid, 'SIGKILL'), graceMs);
      const status = await exited;
      clearTimeout(timer);
      return status;
    },
    kill() {
      signalTo(-pid, 'SIGKILL');
      return exited;
    },
  };
}

/** The last lines of a log file, for an error message; empty when there is none. */
export function logTail(path: string, lines = 15): string {
  const maxBytes = 16_384;
  try {
    const { size } = statSync(path);
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(Math.min(size, maxBytes));
      readSync(file, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

/** `exit code 1` or `signal SIGKILL`. */
export function describeExit(status: ExitStatus): string {
  return status.signal === null ? `exit code ${status.code}` : `signal ${status.signal}`;
}

function passedEnv(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of PASSED_ENV) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
