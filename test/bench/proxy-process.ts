/**
 * `kubeveil serve` in a process of its own, as an operator runs it. The only addition is the probe, which tells its memory
 * and takes profiles.
 */
import { request } from 'node:http';
import { join } from 'node:path';
import { type ServeOptions, startServe } from '../support/serve-process.ts';
import { type LoopDelay, type Memory, PROBE_VARIABLE } from './probe.ts';

export interface ProxyProcess extends AsyncDisposable {
  readonly pid: number;
  /** After garbage collection. */
  memory(): Promise<Memory>;
  startProfile(): Promise<void>;
  startLoopDelay(): Promise<void>;
  /** Since it was started. */
  stopLoopDelay(): Promise<LoopDelay>;
  /** The text of a .cpuprofile file. */
  stopProfile(): Promise<string>;
}

/** @throws {Error} with the end of the proxy's log when it does not become ready */
export async function startProxyProcess(options: ServeOptions): Promise<ProxyProcess> {
  const socket = join(options.folder, 'probe');
  const { child, stop } = await startServe({
    ...options,
    nodeArgs: ['--expose-gc', `--import=${import.meta.resolve('./probe.ts')}`],
    env: { [PROBE_VARIABLE]: socket },
  });
  return {
    pid: child.pid,
    memory: async () => JSON.parse(await ask(socket, '/memory')) as Memory,
    startProfile: async () => void (await ask(socket, '/profile/start')),
    startLoopDelay: async () => void (await ask(socket, '/loop/start')),
    stopLoopDelay: async () => JSON.parse(await ask(socket, '/loop/stop')) as LoopDelay,
    stopProfile: () => ask(socket, '/profile/stop'),
    [Symbol.asyncDispose]: stop,
  };
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
