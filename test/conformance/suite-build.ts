/**
 * Kubernetes' own end-to-end suite and the program that runs it in parallel, built once from their Go modules into the
 * cache folder (about four minutes on two cores, most of it shared with a build of the control plane's programs). Both
 * are of the control plane's own version, which go.mod and go.sum beside this file pin.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeExit, logTail, startChild } from '../../src/dev/child.ts';
import { findGo, goEnvironment } from '../../src/dev/go-build.ts';
import { waitForLock } from '../../src/dev/lock.ts';
import { KUBERNETES_VERSION } from '../../src/dev/versions.ts';

const MODULE_DIR = fileURLToPath(new URL('.', import.meta.url));
const FLAGS = ['-mod=readonly', '-trimpath', '-buildvcs=false'];
/** An empty version makes the suite refuse to run. */
const VERSION = `-X k8s.io/component-base/version.gitVersion=v${KUBERNETES_VERSION}`;

const GO_ARGS: Readonly<Record<keyof Suite, (file: string) => readonly string[]>> = {
  ginkgo: (file) => ['build', ...FLAGS, '-ldflags=-s -w', '-o', file, 'github.com/onsi/ginkgo/v2/ginkgo'],
  tests: (file) => ['test', ...FLAGS, `-ldflags=-s -w ${VERSION}`, '-c', '-o', file, 'k8s.io/kubernetes/test/e2e'],
};

/** The files of the two programs. */
export interface Suite {
  readonly ginkgo: string;
  readonly tests: string;
}

/** @throws {Error} when there is no Go, or with the end of the compiler's output */
export async function buildSuite(progress: (line: string) => void, signal: AbortSignal): Promise<Suite> {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(base, 'kubeveil-conformance', `v${KUBERNETES_VERSION}`);
  const suite: Suite = { ginkgo: join(folder, 'ginkgo'), tests: join(folder, 'e2e.test') };
  await mkdir(folder, { recursive: true });
  await using _lock = await waitForLock(
    join(folder, 'lock'),
    (pid) => progress(`waiting for process ${pid}, which builds the suite`),
    signal,
  );
  for (const name of ['ginkgo', 'tests'] as const) {
    if (existsSync(suite[name])) continue;
    progress(`building ${suite[name]}; this happens once and takes minutes`);
    await build(GO_ARGS[name], suite[name], signal);
  }
  return suite;
}

/** The file appears whole or not at all. */
async function build(args: (file: string) => readonly string[], file: string, signal: AbortSignal): Promise<void> {
  const go = await findGo();
  if ('reason' in go) throw new Error(`the suite is built with Go 1.26 or newer: ${go.reason}`);
  const temporary = `${file}.${randomUUID()}`;
  const logPath = `${temporary}.log`;
  try {
    const child = await startChild({
      name: 'go',
      file: go.file,
      args: args(temporary),
      cwd: MODULE_DIR,
      logPath,
      env: goEnvironment(),
    });
    const abort = () => void child.kill();
    signal.addEventListener('abort', abort, { once: true });
    const status = await child.exited;
    signal.removeEventListener('abort', abort);
    signal.throwIfAborted();
    if (status.code !== 0) throw new Error(`the build ended with ${describeExit(status)}:\n${logTail(logPath)}`);
    await rename(temporary, file);
  } finally {
    await Promise.all([rm(temporary, { force: true }), rm(logPath, { force: true })]);
  }
}
