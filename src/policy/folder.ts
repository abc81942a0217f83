/** The texts of a folder of policy files, by path, and what could not be read. What is in them is load.ts's to say. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface PolicyTexts {
  readonly texts: ReadonlyMap<string, string>;
  /** `policies: cannot be read (ENOENT); name another folder with --policies`. */
  readonly problems: readonly string[];
}

/** Cases beside a policy, run by `kubeveil policy test`. */
const CASES = /\.test\.ya?ml$/;

export function readPolicyFolder(folder: string): PolicyTexts {
  const texts = new Map<string, string>();
  const problems: string[] = [];
  let path = folder;
  try {
    for (const entry of readdirSync(folder).sort()) {
      if (!/\.ya?ml$/.test(entry) || CASES.test(entry)) continue;
      path = join(folder, entry);
      try {
        texts.set(path, readFileSync(path, 'utf8'));
      } catch (cause) {
        problems.push(`${path}: ${basename(path)} cannot be read (${reason(cause)})`);
      }
    }
  } catch (cause) {
    problems.push(`${folder}: cannot be read (${reason(cause)}); name another folder with --policies`);
  }
  return { texts, problems };
}

function reason(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? String(cause);
}
