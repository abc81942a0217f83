/**
 * Programs that run as if in a pod, the DNS that serves pods, and an adapter that says how busy they are: built from Go
 * modules at pinned versions.
 *
 * client-go finds what a pod mounts below `/var/run`, which no test may write. The program is built of a copy of client-go
 * in which that one path is relative, and runs in a folder that stands for the pod's root.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BUILD_ARGS, findGo, type GoTool, goEnvironment, MIN_GO, runGo } from '../../../src/dev/go-build.ts';
import { cached } from './cached.ts';

const run = promisify(execFile);
const ABSOLUTE = '"/var/run/secrets/kubernetes.io/serviceaccount/';

/** What reads its configuration as every Go program of a pod does. @throws {Error} which says what to install */
export function inClusterProgram(): Promise<string> {
  return program('in-cluster', async (go, moduleDir, folder) => {
    const env = { ...process.env, ...goEnvironment() };
    const listed = await run(go.file, ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/client-go'], { cwd: moduleDir, env });
    const copy = join(folder, 'client-go');
    cpSync(listed.stdout.trim(), copy, { recursive: true });
    // What the module cache holds is read-only, folders too.
    await run('chmod', ['-R', 'u+w', copy]);
    const source = join(copy, 'rest', 'config.go');
    const text = readFileSync(source, 'utf8');
    if (text.split(ABSOLUTE).length !== 3) throw new Error(`${source} names other files of a pod than it did`);
    writeFileSync(source, text.replaceAll(ABSOLUTE, ABSOLUTE.replace('/', '')));
    const modules = join(folder, 'go.mod');
    const wanted = readFileSync(join(moduleDir, 'go.mod'), 'utf8');
    writeFileSync(modules, `${wanted}\nreplace k8s.io/client-go => ${copy}\n`);
    copyFileSync(join(moduleDir, 'go.sum'), join(folder, 'go.sum'));
    return ['-modfile', modules];
  });
}

/** CoreDNS with the plugins that a cluster's DNS needs. @throws {Error} which says what to install */
export function dnsProgram(): Promise<string> {
  return program('coredns', async () => []);
}

/** An adapter of `custom.metrics.k8s.io` and `external.metrics.k8s.io`. @throws {Error} which says what to install */
export function metricsAdapter(): Promise<string> {
  return program('custom-metrics', async () => []);
}

async function program(
  name: string,
  buildArgs: (go: GoTool, moduleDir: string, folder: string) => Promise<string[]>,
): Promise<string> {
  const go = await findGo();
  if ('reason' in go) throw new Error(`${name} needs Go ${MIN_GO} or newer (${go.reason}): install it`);
  const moduleDir = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const folder = await cached({
    kind: name,
    sources: moduleDir,
    also: [go.version],
    make: async (into) => {
      const more = await buildArgs(go, moduleDir, into);
      const args = [...BUILD_ARGS, ...more, '-ldflags', '-s -w', '-o', join(into, name), '.'];
      await runGo(go, { args, moduleDir });
    },
  });
  return join(folder, name);
}
