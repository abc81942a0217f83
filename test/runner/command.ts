/**
 * Starts the tools that the test run is made of. They write straight to the terminal; they get no standard input, and
 * they run on the same Node as the runner, by their own entry file, so that nothing depends on PATH.
 */
import { spawn } from 'node:child_process';

/** Set once the run was told to stop: the tool at work is ended, and nothing new is started. */
let stoppedBy: NodeJS.Signals | undefined;

/** No colours unless a person is looking. */
export function plainOutput(): boolean {
  return process.env['CI'] !== undefined || process.stdout.isTTY !== true;
}

function toolEnvironment(): NodeJS.ProcessEnv {
  return plainOutput() ? { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined } : process.env;
}

/**
 * Runs a JavaScript program of node_modules to its end.
 * @returns its exit code; 128 and more when a signal ended it
 * @throws {Error} when it cannot be started, or the test run was told to stop
 */
export function runTool(root: string, entry: string, args: readonly string[]): Promise<number> {
  if (stoppedBy !== undefined) return Promise.reject(new Error(`not run: the test run was ended by ${stoppedBy}`));
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [`node_modules/${entry}`, ...args], {
      cwd: root,
      env: toolEnvironment(),
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const stop = (signal: NodeJS.Signals) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    process.once('SIGINT', stop).once('SIGTERM', stop);
    const end = () => process.off('SIGINT', stop).off('SIGTERM', stop);
    child.once('error', (error) => {
      end();
      failed(new Error(`could not start node_modules/${entry}`, { cause: error }));
    });
    child.once('close', (code) => {
      end();
      done(code ?? 128);
    });
  });
}
