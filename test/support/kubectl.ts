/**
 * A real kubectl, of the control plane's own version, with a home of its own for each kubeconfig, so that nothing of the
 * machine's and no discovery cache of another tenant comes into it.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';

const FAULT_MS = 150_000;
const MAX_BUFFER = 64 * 1024 * 1024;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another kubectl than the control plane's own. */
  readonly program?: string | undefined;
}

/** Runs kubectl to its end; any exit code is an answer. */
export function runKubectl(kubeconfig: string, args: readonly string[], options: KubectlOptions = {}): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const child = execFile(
    options.program ?? inject('controlPlane').kubectlPath,
    [`--kubeconfig=${kubeconfig}`, ...args],
    { env: kubectlEnvironment(kubeconfig, options.env), maxBuffer: MAX_BUFFER, timeout: FAULT_MS },
    (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr: code === -1 ? `${stderr}\n${String(error)}` : stderr });
    },
  );
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.stdin ?? '');
  return promise;
}

/** A kubectl that goes on, such as `get -w`. `await using` ends it. */
export interface Following extends AsyncDisposable {
  /** Waits for the next line of its output that fits. @throws when kubectl ends first, with what it said */
  line(fits: (line: string) => boolean): Promise<string>;
  /** All that it has written so far. */
  text(): string;
  /** Its exit code, once it has ended by itself. */
  readonly ended: Promise<number | null>;
}

export function followKubectl(
  kubeconfig: string,
  args: readonly string[],
  { env, program = inject('controlPlane').kubectlPath }: Omit<KubectlOptions, 'stdin'> = {},
): Following {
  const child = spawn(program, [`--kubeconfig=${kubeconfig}`, ...args], {
    env: kubectlEnvironment(kubeconfig, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen: string[] = [];
  let unread = 0;
  let ended = false;
  let errors = '';
  let wake = Promise.withResolvers<void>();
  const news = (): void => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    seen.push(line);
    news();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      ended = true;
      news();
      resolve(code);
    });
  });
  const fault = setTimeout(() => child.kill('SIGKILL'), FAULT_MS);
  return {
    text: () => `${seen.join('\n')}\n${errors}`,
    ended: exited,
    async line(fits) {
      for (;;) {
        while (unread < seen.length) {
          const line = seen[unread] ?? '';
          unread += 1;
          if (fits(line)) return line;
        }
        if (ended) throw new Error(`kubectl ${args.join(' ')} ended; it had written:\n${seen.join('\n')}\n${errors}`);
        await wake.promise;
      }
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(fault);
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** What kubectl runs with. */
export function kubectlEnvironment(kubeconfig: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const id = createHash('sha256').update(kubeconfig).digest('hex').slice(0, 12);
  const home = join(dirname(kubeconfig), `home-${id}`);
  mkdirSync(home, { recursive: true });
  return { PATH: process.env['PATH'], HOME: home, KUBECTL_KUBERC: 'false', ...more };
}
