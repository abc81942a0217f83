/**
 * Finds the programs of the control plane, each by itself, in this order: the folder KUBEBUILDER_ASSETS, PATH, the
 * cache folder, the official release (checked against its checksum), a build from Go modules. What is fetched or built
 * goes into the cache folder, whole or not at all. A program of another version is never used.
 */

import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type DownloadOptions, downloadRelease } from './download.ts';
import { DevError } from './errors.ts';
import { findGo, type GoTool, goBuild, MIN_GO } from './go-build.ts';
import { waitForLock } from './lock.ts';
import { probe } from './probe.ts';
import { OFFICIAL_BASES, type ReleaseBases, releaseOf } from './releases.ts';
import type { OptionalName, ProgramInfo, ProgramName, RequiredName } from './versions.ts';
import { defaultCacheDir, ETCD_VERSION, KUBERNETES_VERSION, KWOK_VERSION, PROGRAMS } from './versions.ts';

const REPORT_EVERY_MS = 15_000;

/** The file of each program; none of an optional one that is not to be had. */
export type Binaries = Readonly<Record<RequiredName, string> & Partial<Record<OptionalName, string>>>;

export type BinarySource = 'assets' | 'path' | 'cache' | 'download' | 'build';

export interface FindBinariesOptions {
  /** Hears one line per step of a download or a build, with the seconds it took. */
  readonly progress?: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Default: the process environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default: `~/.cache/kubeveil/<version>-<os>-<arch>`. */
  readonly cacheDir?: string;
  /** Which sources may be used; default all. */
  readonly sources?: readonly BinarySource[];
  /** Which programs; default all. */
  readonly programs?: readonly ProgramInfo[];
  readonly releaseBases?: ReleaseBases;
  /** Where Go is looked for after PATH and GOROOT; default the folder its installer uses. */
  readonly goFolders?: readonly string[];
  readonly download?: Pick<DownloadOptions, 'connectTimeoutMs' | 'idleTimeoutMs'>;
}

/** What one search carries along. `tried` becomes the error message. */
interface Search extends Required<Pick<FindBinariesOptions, 'progress' | 'env' | 'cacheDir' | 'releaseBases'>> {
  readonly signal: AbortSignal | undefined;
  readonly allows: (source: BinarySource) => boolean;
  readonly download: DownloadOptions;
  readonly tried: string[];
  readonly goFolders: readonly string[] | undefined;
}

/**
 * @returns the path of every program
 * @throws {DevError} PROGRAMS_NOT_FOUND: lists what is missing, what was tried, and the choices there are
 */
export async function findBinaries(options: FindBinariesOptions = {}): Promise<Binaries> {
  const env = options.env ?? process.env;
  const search: Search = {
    progress: options.progress ?? (() => {}),
    signal: options.signal,
    env,
    cacheDir: options.cacheDir ?? defaultCacheDir(env),
    releaseBases: options.releaseBases ?? OFFICIAL_BASES,
    download: { ...options.download, signal: options.signal },
    allows: (source) => options.sources?.includes(source) ?? true,
    tried: [],
    goFolders: options.goFolders,
  };
  const programs = options.programs ?? PROGRAMS;
  const found = await findAllLocal(programs, search);
  if (found.size < programs.length && (search.allows('download') || search.allows('build'))) {
    await acquire(programs, found, search);
  }
  const missing = programs.filter(({ name }) => !found.has(name));
  const required = missing.filter(({ optional }) => !optional);
  if (required.length > 0) throw notFound(required, search);
  for (const { name, optional } of missing) {
    search.progress(`doing without ${name}, which needs Go ${MIN_GO} or newer to be built: ${optional}`);
  }
  return Object.fromEntries(found) as Binaries;
}

/** The programs that are on this machine already. */
async function findAllLocal(programs: readonly ProgramInfo[], search: Search): Promise<Map<ProgramName, string>> {
  const found = new Map<ProgramName, string>();
  const lookups = programs.map(async (program) => {
    for (const file of localCandidates(program, search)) {
      const result = await probe(program, file);
      if (result.kind === 'refused') search.tried.push(`${program.name}: ${result.reason}`);
      if (result.kind !== 'usable') continue;
      found.set(program.name, file);
      return;
    }
  });
  await Promise.all(lookups);
  return found;
}

function localCandidates({ name }: ProgramInfo, search: Search): string[] {
  const assets = search.env['KUBEBUILDER_ASSETS'];
  const path = (search.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [
    ...(search.allows('assets') && assets ? [join(assets, name)] : []),
    ...(search.allows('path') ? path.map((folder) => join(folder, name)) : []),
    ...(search.allows('cache') ? [join(search.cacheDir, name)] : []),
  ];
}

/** Fetches or builds what is missing, while no other process does. Adds to `found`. */
async function acquire(
  programs: readonly ProgramInfo[],
  found: Map<ProgramName, string>,
  search: Search,
): Promise<void> {
  await mkdir(search.cacheDir, { recursive: true });
  await using _lock = await waitForLock(
    join(search.cacheDir, 'lock'),
    (pid) => search.progress(`waiting for process ${pid}, which is filling ${search.cacheDir}`),
    search.signal,
  );
  const missing = programs.filter(({ name }) => !found.has(name));
  // Another process may have brought them while we waited.
  const brought = await findAllLocal(missing, { ...search, tried: [] });
  for (const [name, file] of brought) found.set(name, file);

  const closedHosts = new Set<string>();
  let go: GoTool | { readonly reason: string } | undefined;
  for (const program of missing) {
    if (found.has(program.name)) continue;
    const file = join(search.cacheDir, program.name);
    const temporary = join(search.cacheDir, `.${program.name}.${randomUUID()}`);
    try {
      let done = search.allows('download') && (await tryDownload(program, temporary, closedHosts, search));
      if (!done && search.allows('build')) {
        go ??= await findGo(search.env, search.goFolders);
        done = await tryBuild(program, go, temporary, search);
      }
      if (!done) continue;
      const result = await probe(program, temporary);
      if (result.kind !== 'usable') {
        search.tried.push(`${program.name}: ${result.kind === 'refused' ? result.reason : 'nothing was made'}`);
        continue;
      }
      await rename(temporary, file);
      found.set(program.name, file);
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

async function tryDownload(
  program: ProgramInfo,
  file: string,
  closedHosts: Set<string>,
  search: Search,
): Promise<boolean> {
  const release = releaseOf(program, search.releaseBases);
  if (release === undefined) {
    search.tried.push(`${program.name}: no official release for this machine`);
    return false;
  }
  const hosts = [new URL(release.checksumUrl).host, new URL(release.url).host];
  // One silent host is asked once, not once per program.
  if (hosts.some((host) => closedHosts.has(host))) return false;
  let received = 0;
  const describe = () =>
    `downloading ${program.name} ${program.version}${received === 0 ? '' : ` (${Math.round(received / 1e6)} MB)`}`;
  try {
    const options: DownloadOptions = { ...search.download, onBytes: (bytes) => (received = bytes) };
    await reporting(describe, search, () => downloadRelease(release, file, options));
    return true;
  } catch (error) {
    search.signal?.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    search.tried.push(`${program.name}: download: ${message}`);
    search.progress(`download of ${program.name} did not work: ${message}`);
    if (received === 0) for (const host of hosts) if (message.includes(host)) closedHosts.add(host);
    return false;
  }
}

async function tryBuild(
  program: ProgramInfo,
  go: GoTool | { readonly reason: string },
  file: string,
  search: Search,
): Promise<boolean> {
  if ('reason' in go) {
    const line = `build: ${go.reason}, needed is Go ${MIN_GO} or newer`;
    if (!search.tried.includes(line)) search.tried.push(line);
    return false;
  }
  try {
    const describe = () => `building ${program.name} ${program.version} with ${go.version}`;
    await reporting(describe, search, () => goBuild(program, go, file, search.signal));
    return true;
  } catch (error) {
    search.signal?.throwIfAborted();
    search.tried.push(`${program.name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** Says when a long step begins, that it still runs, and how long it took. */
async function reporting(describe: () => string, search: Search, step: () => Promise<void>): Promise<void> {
  const startMs = performance.now();
  const seconds = () => `${Math.round((performance.now() - startMs) / 1000)} s`;
  search.progress(`${describe()} ...`);
  const timer = setInterval(() => search.progress(`still ${describe()}, ${seconds()}`), REPORT_EVERY_MS);
  try {
    await step();
    search.progress(`done ${describe()} in ${seconds()}`);
  } finally {
    clearInterval(timer);
  }
}

function notFound(missing: readonly ProgramInfo[], search: Search): DevError {
  const names = missing.map(({ name }) => name).join(', ');
  return new DevError(
    'PROGRAMS_NOT_FOUND',
    [
      `A control plane needs ${names}, and no way to get ${missing.length === 1 ? 'it' : 'them'} worked.`,
      'Tried:',
      ...(search.tried.length === 0 ? ['nothing was found on this machine'] : search.tried).map(
        (line) => `  - ${line}`,
      ),
      'Choices:',
      '  - name an existing cluster: npm start -- --kubeconfig FILE',
      `  - set KUBEBUILDER_ASSETS to a folder that holds them, or put them on PATH (Kubernetes ${KUBERNETES_VERSION}, etcd ${ETCD_VERSION}, kwok ${KWOK_VERSION})`,
      `  - put them into the cache folder ${search.cacheDir}`,
      '  - allow HTTPS to dl.k8s.io, github.com and api.github.com, so that the official releases can be downloaded',
      `  - install Go ${MIN_GO} or newer (https://go.dev/dl/), so that they can be built`,
    ].join('\n'),
  );
}
