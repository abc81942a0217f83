/**
 * Reads where the host is and how to reach it: a kubeconfig file, or the service account of the pod the proxy runs in.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Credentials } from './credentials.ts';

/** Where the host is and as whom it is reached. */
export interface HostConnection {
  /** `https://10.0.0.1:6443`, no path. */
  server: string;
  caPem: string | undefined;
  credentials: Credentials;
}

const POD = '/var/run/secrets/kubernetes.io/serviceaccount';

/** @throws {Error} which names the file, the entry and what to do. */
export function readKubeconfig(file: string, context?: string): HostConnection {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`kubeconfig ${file} cannot be read; give another with --kubeconfig`, { cause });
  }
  return parseKubeconfig(text, file, context);
}

function parseKubeconfig(text: string, file: string, context?: string): HostConnection {
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
    credentials: credentialsOf(user, at),
  };
}

/** The pod's own service account; undefined outside a cluster. */
export function inClusterHost(env: NodeJS.ProcessEnv = process.env): HostConnection | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (host === undefined || port === undefined) return undefined;
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    caPem: readFileSync(`${POD}/ca.crt`, 'utf8'),
    credentials: fileCredentials(`${POD}/token`),
  };
}

/** As kubectl weighs them: a token in the file goes before the name of a file that holds one. */
function credentialsOf(user: Record<string, unknown>, at: string): Credentials {
  const cert = material(user, 'client-certificate', at);
  const key = material(user, 'client-key', at);
  const { token, tokenFile } = user;
  const byToken =
    typeof token !== 'string' && typeof tokenFile === 'string'
      ? fileCredentials(resolve(at, tokenFile))
      : { authorization: async () => (typeof token === 'string' ? `Bearer ${token}` : undefined) };
  return { ...byToken, ...(cert !== undefined && key !== undefined ? { tls: { cert, key } } : {}) };
}

/** Reads the file anew each time: tokens in files are short-lived, and whoever wrote the file renews it. */
export function fileCredentials(file: string): Credentials {
  readToken(file);
  return { authorization: async () => `Bearer ${readToken(file)}` };
}

function readToken(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`the token file ${file} cannot be read`, { cause });
  }
  if (token === '') throw new Error(`the token file ${file} is empty`);
  return token;
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
