/** The program `test/bench/node-agents`, built once. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_ARGS, findGo, MIN_GO, runGo } from '../../src/dev/go-build.ts';
import { cached } from '../clients/support/cached.ts';

const MODULE = fileURLToPath(new URL('node-agents', import.meta.url));

/** @returns its path. @throws {Error} which says what to install, or the end of the compiler's output */
export async function nodeAgentsProgram(): Promise<string> {
  const go = await findGo();
  if ('reason' in go)
    throw new Error(`this needs Go ${MIN_GO} or newer (${go.reason}): install it from https://go.dev/dl/`);
  const folder = await cached({
    kind: 'node-agents',
    sources: MODULE,
    also: [go.version],
    make: (into) =>
      runGo(go, {
        args: [...BUILD_ARGS, '-ldflags', '-s -w', '-o', join(into, 'node-agents'), '.'],
        moduleDir: MODULE,
      }),
  });
  return join(folder, 'node-agents');
}
