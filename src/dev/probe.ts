/**
 * Asks a program file for its version. A file that does not answer like the program it is named after is refused.
 */

import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { acceptsVersion, type ProgramInfo } from './versions.ts';

const TIMEOUT_MS = 15_000;

/** `usable`: the file may be used. `missing`: there is no such file. `refused`: there is one, and why it is not used. */
export type ProbeResult =
  | { readonly kind: 'usable'; readonly version: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Runs the file once with its version flag. Never throws. */
export async function probe(program: ProgramInfo, file: string): Promise<ProbeResult> {
  try {
    await access(file, constants.F_OK);
  } catch {
    return { kind: 'missing' };
  }
  const output = await run(file, program.versionArgs);
  if (output.error !== undefined) return { kind: 'refused', reason: `${file} does not run: ${output.error}` };
  const version = program.versionPattern.exec(output.text)?.[1];
  if (version === undefined) return { kind: 'refused', reason: `${file} does not tell its version` };
  if (acceptsVersion(program, version)) return { kind: 'usable', version };
  return { kind: 'refused', reason: `${file} is version ${version}, wanted is ${wanted(program)}` };
}

function wanted(program: ProgramInfo): string {
  return program.accepts === 'exact' ? program.version : `${program.version.split('.').slice(0, 2).join('.')}.x`;
}

function run(file: string, args: readonly string[]): Promise<{ text: string; error?: string }> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: TIMEOUT_MS, encoding: 'utf8' }, (error, stdout, stderr) => {
      const text = `${stdout}\n${stderr}`;
      if (error === null) resolve({ text });
      else resolve({ text, error: error.message.split('\n')[0] ?? 'unknown' });
    });
  });
}
