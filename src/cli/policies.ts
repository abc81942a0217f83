/** Which folder of policy files a command reads: the one it was given, else `./policies`, else the one of the package. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN_FOLDER = 'policies';

/** An absolute path; not checked for what is in it. */
export function policiesFolder(given: string | undefined, workFolder = process.cwd()): string {
  if (given !== undefined) return resolve(workFolder, given);
  const own = resolve(workFolder, OWN_FOLDER);
  return existsSync(own) ? own : fileURLToPath(new URL('../../policies', import.meta.url));
}
