/**
 * Puts the manifests of `deploy/` on the host, as an administrator, by server-side apply: what is there already is brought
 * up to date, what others added stays. Returns when the host acts by them.
 *
 * Refuses to go on at the first object that the host refuses, with the host's words.
 */
import { pause } from '../../lib/backoff.ts';
import type { Upstream } from '../../ports.ts';
import { createHostClient, type HostClient } from '../../upstream/host-client.ts';
import { type Manifest, readManifests } from './manifests.ts';
import { idlePlugins } from './plugins.ts';
import { isEstablished, wallsBite } from './walls.ts';

export interface InstallOptions {
  /** With the credential of an administrator of the host. */
  upstream: Upstream;
  manifests?: readonly Manifest[];
  signal: AbortSignal;
  /** How long the host may take to act by what is stored. */
  timeoutMs?: number;
  /** Hears one line a file. */
  progress?: (line: string) => void;
}

const TIMEOUT_MS = 30_000;
const POLL_MS = 25;
const FIELD_MANAGER = 'kubeveil-install';

/** @throws {HostError} when the host refuses an object; @throws {Error} when it does not act by them in time */
export async function install(options: InstallOptions): Promise<void> {
  const { signal } = options;
  const manifests = options.manifests ?? readManifests();
  const client = createHostClient(options.upstream, { as: 'provisioner' }, signal);
  const deadlineMs = Date.now() + (options.timeoutMs ?? TIMEOUT_MS);
  let file = '';
  for (const manifest of manifests) {
    if (manifest.file !== file) {
      file = manifest.file;
      options.progress?.(`applying deploy/${file}`);
    }
    await client.apply(manifest.path, manifest.object, FIELD_MANAGER);
  }
  for (const { object, path } of manifests) {
    if (object['kind'] !== 'CustomResourceDefinition') continue;
    await until(() => established(client, path), `${path} is not established`, deadlineMs, signal);
  }
  await until(() => wallsBite(client), 'the admission policies do not act', deadlineMs, signal);
  await until(() => pluginsAct(client), 'the admission plugins do not act', deadlineMs, signal);
}

async function pluginsAct(client: HostClient): Promise<boolean> {
  return (await idlePlugins(client)).length === 0;
}

async function established(client: HostClient, path: string): Promise<boolean> {
  const stored = await client.get(path);
  return stored !== undefined && isEstablished(stored);
}

async function until(
  done: () => Promise<boolean>,
  what: string,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!(await done())) {
    if (Date.now() > deadlineMs) throw new Error(`${what}, long after it was stored; look at the host's API server`);
    if (!(await pause(POLL_MS, signal))) throw signal.reason;
  }
}
