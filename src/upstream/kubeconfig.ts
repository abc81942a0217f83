/**
 * Reads where the host is and how to reach it: a kubeconfig file, or the service account of the pod the proxy runs in.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Credentials } from './credentials.ts';

export interface Host {
  /** `https://10.0.0.1:6443`, no path. */
  server: string;
  caPem: string | undefined;
  credentials: Credentials;
}

const POD = '/var/run/secrets/kubernetes.io/serviceaccount';

/** @throws {Error} which names the file, the entry and what to do. */
export function readKubeconfig(file: string, context?: string): Host {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`kubeconfig ${file} cannot be read; give another with --kubeconfig`, { cause });
  }
  return parseKubeconfig(text, file, context);
}

export function parseKubeconfig(text: string, file: string, context?: string): Host {
  const config = record(parse(text), `kubeconfig ${file}`);
  const wanted = context ?? string(config['current-context'], `current-context of ${file}`);
  const chosen = entry(config['contexts'], wanted, 'context', file);
  const cluster = entry(config['clusters'], string(chosen['cluster'], `cluster of context ${wanted}`), 'cluster', file);
  const user = entry(config['users'], string(chosen['user'], `user of context ${wanted}`), 'user', file);
  const url = new URL(string(cluster['server'], `server of context ${wanted} in ${file}`));
  if (url.protocol !== 'https:') throw new Error(`server ${url.href} in ${file} is not https`);
  if (cluster['insecure-skip-tls-verify'] === true) {
    throw new Error(`${file} skips the check of the server's certificate; give its CA as certificate-authority-data`);
  }
  if (user['exec'] !== undefined || user['auth-provider'] !== undefined) {
    throw new Error(
      `user of context ${wanted} in ${file} needs a plugin, which is not supported; use a kubeconfig with a token or client certificate`,
    );
  }
  const at = dirname(resolve(file));
  return {
    server: url.origin,
    caPem: material(cluster, 'certificate-authority', at),
    credentials: staticCredentials(
      tokenOf(user, at),
      material(user, 'client-certificate', at),
      material(user, 'client-key', at),
    ),
  };
}

/** The pod's own service account; undefined outside a cluster. */
export function inClusterHost(env: NodeJS.ProcessEnv = process.env): Host | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (host === undefined || port === undefined) return undefined;
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    caPem: readFileSync(`${POD}/ca.crt`, 'utf8'),
    // Read anew each time: kubelet renews the file.
    credentials: { authorization: async () => `Bearer ${readFileSync(`${POD}/token`, 'utf8').trim()}` },
  };
}

function staticCredentials(token: string | undefined, cert: string | undefined, key: string | undefined): Credentials {
  return {
    authorization: async () => (token === undefined ? undefined : `Bearer ${token}`),
    ...(cert !== undefined && key !== undefined ? { tls: { cert, key } } : {}),
  };
}

function tokenOf(user: Record<string, unknown>, at: string): string | undefined {
  if (typeof user['token'] === 'string') return user['token'];
  return typeof user['tokenFile'] === 'string'
    ? readFileSync(resolve(at, user['tokenFile']), 'utf8').trim()
    : undefined;
}

function material(from: Record<string, unknown>, key: string, at: string): string | undefined {
  const data = from[`${key}-data`];
  if (typeof data === 'string') return Buffer.from(data, 'base64').toString('utf8');
  const file = from[key];
  return typeof file === 'string' ? readFileSync(resolve(at, file), 'utf8') : undefined;
}

function entry(list: unknown, name: string, what: string, file: string): Record<string, unknown> {
  const found = Array.isArray(list) ? list.find((item) => record(item, what)['name'] === name) : undefined;
  if (found === undefined) throw new Error(`kubeconfig ${file} has no ${what} named ${JSON.stringify(name)}`);
  return record(record(found, what)[what], `${what} ${name} of ${file}`);
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} is not a mapping`);
  return value as Record<string, unknown>;
}

function string(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${what} is missing`);
  return value;
}
