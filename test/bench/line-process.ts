/** A program of a scenario that says by lines on its standard output how far it is, and is told by lines what to do. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface LineProcess extends AsyncDisposable {
  readonly pid: number;
  /** The next line. @throws {Error} with what it wrote when it ends instead */
  line(): Promise<string>;
  tell(line: string): void;
}

const STOP_MS = 15_000;

export function startLineProcess(file: string, args: readonly string[]): LineProcess {
  const child: ChildProcess = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const faults: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => faults.push(chunk.toString('utf8')));
  const gone = once(child, 'exit');
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    async line() {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`${file} ended: ${faults.join('').slice(-2_000)}`);
      return value;
    },
    tell: (line) => void child.stdin?.write(`${line}\n`),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      if (child.exitCode === null && child.signalCode === null) await gone;
      clearTimeout(timer);
    },
  };
}
