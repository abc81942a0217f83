/**
 * Builds the programs from their Go modules, at the versions and checksums that deploy/dev-cluster/go.mod and go.sum
 * pin, or those of a module below it. `-mod=readonly` makes Go refuse anything the two files do not name.
 * @see https://go.dev/ref/mod#build-commands
 */

import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeExit, logTail, startChild } from './child.ts';
import { DevError } from './errors.ts';
import { KUBERNETES_VERSION, type ProgramInfo } from './versions.ts';

const MODULE_DIR = fileURLToPath(new URL('../../deploy/dev-cluster', import.meta.url));
/** How every program is built: from pinned modules alone, with nothing of this machine in it. */
export const BUILD_ARGS = ['build', '-mod=readonly', '-trimpath', '-buildvcs=false'] as const;
const CLIENT_GO_VERSION = 'k8s.io/client-go/pkg/version.gitVersion';
const MIN_GO_MINOR = 26;
export const MIN_GO = `1.${MIN_GO_MINOR}`;
/** Where the Go installer puts it, which a non-login shell's PATH often lacks. */
const USUAL_FOLDERS = ['/usr/local/go/bin'];
/** What go itself needs to be told by its user; everything else it finds by HOME. */
const GO_ENV = [
  'GOCACHE',
  'GOFLAGS',
  'GOINSECURE',
  'GOMODCACHE',
  'GONOPROXY',
  'GONOSUMDB',
  'GOPATH',
  'GOPRIVATE',
  'GOPROXY',
  'GOROOT',
  'GOSUMDB',
  'GOTMPDIR',
  'GOTOOLCHAIN',
  'GOMAXPROCS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'NETRC',
] as const;

export interface GoTool {
  readonly file: string;
  readonly version: string;
}

/**
 * Finds a Go that can build: `go` on PATH, in GOROOT or in /usr/local/go, of version 1.26 or newer (its own toolchain
 * switch counts).
 * @returns the tool, or why there is none
 */
export async function findGo(
  env: NodeJS.ProcessEnv = process.env,
  usualFolders: readonly string[] = USUAL_FOLDERS,
): Promise<GoTool | { readonly reason: string }> {
  const folders = [
    ...(env['PATH'] ?? '').split(delimiter),
    ...(env['GOROOT'] ? [join(env['GOROOT'], 'bin')] : []),
    ...usualFolders,
  ];
  const reasons: string[] = [];
  for (const file of new Set(folders.filter((folder) => folder !== '').map((folder) => join(folder, 'go')))) {
    const there = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!there) continue;
    const version = await goVersion(file, env);
    if (isNewEnough(version)) return { file, version };
    reasons.push(`${file} is ${version === '' ? 'not working' : version}`);
  }
  return { reason: reasons.length === 0 ? 'no go on PATH' : reasons.join(', ') };
}

/** One command of go in the folder of a module, such as `build -o FILE PACKAGE`. */
export interface GoCommand {
  readonly args: readonly string[];
  readonly moduleDir: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Builds one program into `file`.
 * @throws {DevError} BUILD_FAILED with the end of the compiler's output
 */
export function goBuild(program: ProgramInfo, go: GoTool, file: string, signal?: AbortSignal): Promise<void> {
  const args = [...BUILD_ARGS, '-ldflags', ldflags(program), '-o', file, program.goPackage];
  return runGo(go, { args, moduleDir: join(MODULE_DIR, program.goModule ?? ''), signal });
}

/**
 * Runs go to its end.
 * @throws {DevError} BUILD_FAILED with the end of its output
 */
export async function runGo(go: GoTool, { args, moduleDir, signal }: GoCommand): Promise<void> {
  signal?.throwIfAborted();
  const what = `go ${args[0]} of ${args.at(-1)}`;
  const scratch = await mkdtemp(join(tmpdir(), 'kubeveil-build-'));
  const logPath = join(scratch, 'build.log');
  try {
    const env = goEnvironment();
    const child = await startChild({ name: what, file: go.file, args, cwd: moduleDir, logPath, env });
    const abort = () => void child.kill();
    signal?.addEventListener('abort', abort, { once: true });
    const status = await child.exited;
    signal?.removeEventListener('abort', abort);
    signal?.throwIfAborted();
    if (status.code !== 0) {
      throw new DevError(
        'BUILD_FAILED',
        `${what} ended with ${describeExit(status)}; its last lines:\n${logTail(logPath)}`,
      );
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Kubernetes programs learn their version from the linker, and several of them panic when it is empty. */
function ldflags(program: ProgramInfo): string {
  if (program.name === 'metrics-server') return `-s -w -X ${CLIENT_GO_VERSION}=v${program.version}`;
  if (!program.goPackage.startsWith('k8s.io/kubernetes/')) return '-s -w';
  const [major, minor] = KUBERNETES_VERSION.split('.');
  const variables = {
    'k8s.io/component-base/version.gitVersion': `v${KUBERNETES_VERSION}`,
    'k8s.io/component-base/version.gitMajor': major,
    'k8s.io/component-base/version.gitMinor': minor,
    'k8s.io/component-base/version.gitTreeState': 'clean',
    [CLIENT_GO_VERSION]: `v${KUBERNETES_VERSION}`,
  };
  return ['-s -w', ...Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`)].join(' ');
}

/** The version of the toolchain that builds in our module, which Go may have to fetch first; '' when it cannot. */
function goVersion(file: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    execFile(file, ['env', 'GOVERSION'], { cwd: MODULE_DIR, env, timeout: 120_000 }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : ''),
    );
  });
}

function isNewEnough(version: string): boolean {
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= MIN_GO_MINOR);
}

/** What a build of pure Go is run with. */
export function goEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const picked: Record<string, string> = { CGO_ENABLED: '0', GOWORK: 'off' };
  for (const name of GO_ENV) {
    const value = env[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
