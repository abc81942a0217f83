/** The client written in Rust, built from crates.io at the versions of its lock file. */
import { execFile } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cached } from './cached.ts';

const run = promisify(execFile);
const SOURCES = fileURLToPath(new URL('../rust', import.meta.url));
const PROGRAM = 'kubeveil-test-clients';

/** @returns the program. @throws {Error} which says what to install, or what the compiler said */
export async function rustClient(): Promise<string> {
  let version: string;
  try {
    version = (await run('cargo', ['--version'], { cwd: SOURCES })).stdout;
  } catch (cause) {
    throw new Error('kube-rs needs Rust 1.89 or newer: install it with rustup (https://rustup.rs)', { cause });
  }
  return join(await cached({ kind: 'rust', sources: SOURCES, also: [version], make }), PROGRAM);
}

async function make(folder: string): Promise<void> {
  const target = join(folder, 'target');
  await run('cargo', ['build', '--locked', '--quiet', `--target-dir=${target}`], { cwd: SOURCES });
  copyFileSync(join(target, 'debug', PROGRAM), join(folder, PROGRAM));
  rmSync(target, { recursive: true });
}
