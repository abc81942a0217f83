/**
 * `kubeveil serve` in a process of its own, as an operator runs it: with the one credential that it needs, its log at the
 * usual level going to a file.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, logTail, startChild } from '../../src/dev/child.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { CLI } from './cli.ts';
import { requestOnce } from './http.ts';
import { eventually } from './processes.ts';

/** How long a start may take before it counts as broken; never how long it is expected to take. */
const FAULT_MS = 120_000;

export interface ServeOptions {
  /** Where its log and its kubeconfig go. */
  readonly folder: string;
  readonly host: { readonly server: string; readonly caPem: string };
  /** Of the account that may ask for tokens of the proxy's accounts, and nothing else. */
  readonly token: string;
  /** Added to those of `serve`. */
  readonly args?: readonly string[];
  /** Of Node itself. */
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What must hold besides, before it counts as started. */
  readonly isReady?: (server: string) => Promise<boolean>;
}

export interface ServeProcess extends AsyncDisposable {
  readonly child: Child;
  /** `https://127.0.0.1:8443` */
  readonly server: string;
  readonly logPath: string;
  stop(): Promise<void>;
}

/** Where the credential is that the proxy in this folder runs with. */
export function serveKubeconfigPath(folder: string): string {
  return join(folder, 'proxy.kubeconfig');
}

/** @throws {Error} with the end of its log when it does not become ready */
export async function startServe(options: ServeOptions): Promise<ServeProcess> {
  const { folder, host, token, args = [], nodeArgs = [], env = {}, isReady = async () => true } = options;
  mkdirSync(folder, { recursive: true });
  const kubeconfig = serveKubeconfigPath(folder);
  writeFileSync(kubeconfig, kubeconfigOf(host, token), { mode: 0o600 });
  const port = await choosePort(undefined, 'the port of the proxy');
  const server = `https://127.0.0.1:${port}`;
  const logPath = join(folder, 'proxy.log');
  const child = await startChild({
    name: 'kubeveil',
    file: process.execPath,
    args: [
      ...nodeArgs,
      CLI,
      'serve',
      `--kubeconfig=${kubeconfig}`,
      `--listen=127.0.0.1:${port}`,
      `--public-url=${server}`,
      // Pods are processes of this machine, if they are anything.
      `--pod-address=127.0.0.1:${port}`,
      ...args,
    ],
    logPath,
    env: { HOME: folder, ...env },
  });
  const stop = async () => void (await child.stop(20_000));
  try {
    await eventually(
      'the proxy is ready',
      async () => {
        if (!child.running) throw new Error('the proxy ended');
        return (await answersReady(server)) && (await isReady(server).catch(() => false));
      },
      FAULT_MS,
    );
  } catch (cause) {
    await stop();
    throw new Error(`the proxy did not start: ${String(cause)}\n${logTail(logPath, 40)}`, { cause });
  }
  return { child, server, logPath, stop, [Symbol.asyncDispose]: stop };
}

/** Its CA is known only when it has run once; readiness is no secret. */
async function answersReady(server: string): Promise<boolean> {
  const answer = await requestOnce({ server, path: '/readyz', insecure: true }).catch(() => undefined);
  return answer?.status === 200;
}

/** JSON is YAML. */
function kubeconfigOf({ server, caPem }: ServeOptions['host'], token: string): string {
  const authority = Buffer.from(caPem).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'host', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'kubeveil', user: { token } }],
    contexts: [{ name: 'host', context: { cluster: 'host', user: 'kubeveil' } }],
    'current-context': 'host',
  });
}
