/** The host cluster, as an operator's command reaches it: with the operator's own kubeconfig and rights. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { readKubeconfig } from '../upstream/host-connection.ts';
import { type ClosableUpstream, createUpstream } from '../upstream/upstream.ts';

/** @throws {Error} when there is no kubeconfig, naming where one was looked for */
function hostKubeconfig(given: string | undefined): string {
  if (given !== undefined) return given;
  const fromEnv = process.env['KUBECONFIG']?.split(delimiter).find((file) => file !== '');
  if (fromEnv !== undefined) return fromEnv;
  const file = join(homedir(), '.kube', 'config');
  if (existsSync(file)) return file;
  throw new Error(
    `there is no kubeconfig of the host cluster: give one with --kubeconfig, set KUBECONFIG, or put it at ${file}`,
  );
}

/** Runs `use` with a connection to the host, and closes it. */
export async function withHost<T>(
  kubeconfig: string | undefined,
  use: (upstream: ClosableUpstream) => Promise<T>,
): Promise<T> {
  const host = readKubeconfig(hostKubeconfig(kubeconfig));
  const upstream = createUpstream(host);
  try {
    return await use(upstream);
  } finally {
    await upstream.close();
  }
}
