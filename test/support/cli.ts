/** The program `kubeveil`, run as its users run it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The file that npm's bin leads to, before it is compiled. */
export const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const FAULT_MS = 170_000;

export interface CliRan {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Any exit code is an answer. Nothing of the test's own environment gets through but `PATH`. */
export function runCli(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<CliRan> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...options.env };
    const settings = { env, timeout: FAULT_MS, ...(options.cwd === undefined ? {} : { cwd: options.cwd }) };
    execFile(process.execPath, [CLI, ...args], settings, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

/** @returns what it printed. @throws when it fails, with what it said */
export async function cli(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, options);
  if (code !== 0) throw new Error(`kubeveil ${args.join(' ')} ended with code ${code}\n${stdout}\n${stderr}`);
  return stdout;
}
