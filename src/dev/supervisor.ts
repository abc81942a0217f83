/**
 * Holds the running programs of one control plane by name: starts, restarts, kills, freezes and stops them, and tells
 * when one ends that nobody asked to end.
 */

import { type Child, type ChildSpec, describeExit, type ExitStatus, logTail, startChild } from './child.ts';
import { DevError } from './errors.ts';

export interface Supervisor<Name extends string> {
  start(name: Name): Promise<void>;
  /** The newest process under this name, running or not. @throws {TypeError} it was never started */
  child(name: Name): Child;
  kill(name: Name): Promise<void>;
  freeze(name: Name): void;
  thaw(name: Name): void;
  thawAll(): void;
  /** Stops the given programs at the same time; those not running are left alone. */
  stop(names: readonly Name[], graceMs: number): Promise<void>;
  /**
   * Runs `work` and fails as soon as the program ends before it is done.
   * @throws {DevError} PROGRAM_FAILED with the end of the program's log
   */
  whileRunning<T>(name: Name, work: Promise<T>): Promise<T>;
}

/** @param onUnexpectedExit called when a program ends that was neither stopped nor killed by us */
export function createSupervisor<Name extends string>(
  specs: Readonly<Record<Name, ChildSpec>>,
  onUnexpectedExit: (name: Name, error: DevError) => void,
): Supervisor<Name> {
  const children = new Map<Name, Child>();
  const expected = new WeakSet<Child>();

  function child(name: Name): Child {
    const found = children.get(name);
    if (found === undefined) throw new TypeError(`${name} was never started`);
    return found;
  }

  return {
    child,
    async start(name) {
      if (children.get(name)?.running) throw new TypeError(`${name} is running already`);
      const started = await startChild(specs[name]);
      children.set(name, started);
      void started.exited.then((status) => {
        if (!expected.has(started)) onUnexpectedExit(name, programFailed(started.spec, status));
      });
    },
    async kill(name) {
      expected.add(child(name));
      await child(name).kill();
    },
    freeze(name) {
      child(name).signal('SIGSTOP');
    },
    thaw(name) {
      child(name).signal('SIGCONT');
    },
    thawAll() {
      for (const started of children.values()) started.signal('SIGCONT');
    },
    async stop(names, graceMs) {
      await Promise.all(
        names.map(async (name) => {
          const running = children.get(name);
          if (!running?.running) return;
          expected.add(running);
          await running.stop(graceMs);
        }),
      );
    },
    whileRunning(name, work) {
      const { spec, exited } = child(name);
      const ended = exited.then((status) => Promise.reject(programFailed(spec, status)));
      return Promise.race([work, ended]);
    },
  };
}

function programFailed(spec: ChildSpec, status: ExitStatus): DevError {
  return new DevError(
    'PROGRAM_FAILED',
    `${spec.name} ended with ${describeExit(status)}. Its log is ${spec.logPath}; the last lines:\n${logTail(spec.logPath)}`,
  );
}
