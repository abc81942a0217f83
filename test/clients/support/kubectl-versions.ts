/** kubectl of other minor versions than the control plane's, built from its own modules: `test/clients/kubectl`. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_ARGS, findGo, MIN_GO, runGo } from '../../../src/dev/go-build.ts';
import { cached } from './cached.ts';

const SOURCES = fileURLToPath(new URL('../kubectl', import.meta.url));

/** Minor version -> the module file that pins it. The oldest speaks SPDY unless it is told otherwise. */
const MODULES = { '1.30': 'v1.30.mod', '1.34': 'go.mod' } as const;

export type KubectlVersion = keyof typeof MODULES;

/** @returns the program. @throws {Error} which says what to install, or the end of the compiler's output */
export async function kubectlOf(version: KubectlVersion): Promise<string> {
  const go = await findGo();
  if ('reason' in go) throw new Error(`kubectl ${version} needs Go ${MIN_GO} or newer (${go.reason}): install it`);
  const folder = await cached({
    kind: `kubectl-${version}`,
    sources: SOURCES,
    also: [go.version, version],
    make: (into) =>
      runGo(go, {
        args: [...BUILD_ARGS, `-modfile=${MODULES[version]}`, '-ldflags', '-s -w', '-o', join(into, 'kubectl'), '.'],
        moduleDir: SOURCES,
      }),
  });
  return join(folder, 'kubectl');
}
