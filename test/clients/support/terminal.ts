/** A program at a terminal (`test/clients/python/terminal.py`), and who sits at it: what they type, see and resize. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../python/terminal.py', import.meta.url));
/** For a program that hangs; never how long it is expected to take. */
const FAULT_MS = 150_000;

export interface Terminal extends AsyncDisposable {
  type(text: string): void;
  resize(rows: number, columns: number): void;
  /** Waits until it shows a text that fits, behind what was waited for before. @throws when the program ends first */
  until(fits: RegExp): Promise<void>;
  /** All that it has shown. */
  text(): string;
  /** The program's exit code. */
  readonly ended: Promise<number | null>;
}

export function openTerminal(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  const child = spawn('python3', [SCRIPT, file, ...args], { env: { ...env, TERM: 'xterm' } });
  let shown = '';
  let seen = 0;
  let hasEnded = false;
  let wake = Promise.withResolvers<void>();
  const news = (): void => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  for (const source of [child.stdout, child.stderr]) {
    source.on('data', (chunk: Buffer) => {
      shown += chunk.toString('utf8');
      news();
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      hasEnded = true;
      news();
      resolve(code);
    });
  });
  child.stdin.on('error', () => {});
  const fault = setTimeout(() => child.kill('SIGKILL'), FAULT_MS);
  const order = (what: object): void => void child.stdin.write(`${JSON.stringify(what)}\n`);
  return {
    type: (text) => order({ type: text }),
    resize: (rows, columns) => order({ rows, columns }),
    text: () => shown,
    ended,
    async until(fits) {
      for (;;) {
        const found = fits.exec(shown.slice(seen));
        if (found !== null) {
          seen += found.index + found[0].length;
          return;
        }
        if (hasEnded) throw new Error(`${file} ${args.join(' ')} ended, and had shown:\n${shown}`);
        await wake.promise;
      }
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(fault);
      child.kill('SIGKILL');
      await ended;
    },
  };
}
