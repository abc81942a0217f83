/**
 * `kubeveil serve` in a process of its own, as an operator runs it: with the one credential that it needs, its log at
 * the usual level going to a file. The only addition is the probe, which tells its memory and takes profiles.
 */
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { logTail, startChild } from '../../src/dev/child.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { newKubeconfig, writePrivateFile } from '../../src/onboarding/kubeconfig.ts';
import { type Memory, PROBE_VARIABLE } from './probe.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_MS = 60_000;

export interface ProxyProcess extends AsyncDisposable {
  readonly pid: number;
  /** After garbage collection. */
  memory(): Promise<Memory>;
  startProfile(): Promise<void>;
  /** The text of a .cpuprofile file. */
  stopProfile(): Promise<string>;
}

export interface ProxyProcessOptions {
  readonly folder: string;
  /** Of the account that may ask for tokens of the proxy's accounts. */
  readonly baseToken: string;
  readonly host: { readonly server: string; readonly caPem: string };
  /** Resolves when the proxy serves; asked again and again. */
  readonly isReady: (server: string) => Promise<boolean>;
}

/** @throws {Error} with the end of the proxy's log when it does not become ready */
export async function startProxyProcess(options: ProxyProcessOptions): Promise<ProxyProcess> {
  const { folder } = options;
  const port = await choosePort(undefined, 'the port of the proxy');
  const server = `https://127.0.0.1:${port}`;
  const logPath = join(folder, 'proxy.log');
  const socket = join(folder, 'probe');
  const kubeconfig = join(folder, 'proxy.kubeconfig');
  writePrivateFile(kubeconfig, kubeconfigOf(options));
  const child = await startChild({
    name: 'kubeveil',
    file: process.execPath,
    args: [
      '--expose-gc',
      `--import=${import.meta.resolve('./probe.ts')}`,
      join(ROOT, 'src/cli.ts'),
      'serve',
      `--kubeconfig=${kubeconfig}`,
      `--listen=127.0.0.1:${port}`,
      `--public-url=${server}`,
      `--policies=${join(ROOT, 'policies')}`,
    ],
    logPath,
    env: { HOME: folder, [PROBE_VARIABLE]: socket },
  });
  const stop = async () => void (await child.stop(20_000));
  const untilMs = Date.now() + READY_MS;
  while (!(await options.isReady(server).catch(() => false))) {
    if (child.running && Date.now() < untilMs) await sleep(50);
    else {
      await stop();
      throw new Error(`the proxy did not become ready; the end of its log:\n${logTail(logPath, 40)}`);
    }
  }
  return {
    pid: child.pid,
    memory: async () => JSON.parse(await ask(socket, '/memory')) as Memory,
    startProfile: async () => void (await ask(socket, '/profile/start')),
    stopProfile: () => ask(socket, '/profile/stop'),
    [Symbol.asyncDispose]: stop,
  };
}

function kubeconfigOf({ host, baseToken }: ProxyProcessOptions): string {
  const names = { context: 'host', cluster: 'host', user: 'kubeveil' };
  return newKubeconfig({ ...names, ...host, credential: { token: baseToken } });
}

function ask(socketPath: string, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const outgoing = request({ socketPath, path, agent: false }, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('error', reject);
    incoming.once('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      if (incoming.statusCode === 200) resolve(text);
      else reject(new Error(`the probe answered ${path} with ${incoming.statusCode}: ${text}`));
    });
  });
  outgoing.once('error', reject);
  outgoing.end();
  return promise;
}
