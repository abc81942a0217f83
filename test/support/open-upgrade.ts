/** A request for an upgrade as a client sends it: what it was answered, and the connection when that was 101. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';

export interface UpgradeRequest {
  readonly server: string;
  readonly path: string;
  readonly caPem: string;
  readonly certPem?: string | undefined;
  readonly keyPem?: string | undefined;
  readonly method?: 'GET' | 'POST';
  readonly protocol: 'websocket' | 'SPDY/3.1';
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the headers that make a handshake. */
  readonly handshake?: Readonly<Record<string, string>>;
}

export interface OpenedUpgrade extends Disposable {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The answer, where it is not 101. */
  readonly text: string;
  /** Undefined while the connection stands. */
  readonly ended: boolean;
  readonly socket: Duplex | undefined;
}

export function openUpgrade(options: UpgradeRequest): Promise<OpenedUpgrade> {
  const { server, path, caPem, certPem, keyPem, method = 'GET', protocol } = options;
  const { promise, resolve, reject } = Promise.withResolvers<OpenedUpgrade>();
  const usual =
    protocol === 'websocket'
      ? {
          'sec-websocket-key': randomBytes(16).toString('base64'),
          'sec-websocket-version': '13',
          'sec-websocket-protocol': 'v5.channel.k8s.io',
        }
      : { 'x-stream-protocol-version': 'v4.channel.k8s.io' };
  const outgoing = request(new URL(path, server), {
    agent: false,
    ca: caPem,
    method,
    ...(certPem === undefined ? {} : { cert: certPem, key: keyPem }),
    headers: { connection: 'Upgrade', upgrade: protocol, ...(options.handshake ?? usual), ...options.headers },
  });
  outgoing.on('error', reject);
  outgoing.once('upgrade', ({ headers }, socket) => {
    let ended = false;
    socket.on('error', () => {});
    socket.once('close', () => (ended = true));
    socket.resume();
    resolve({
      status: 101,
      headers,
      text: '',
      socket,
      get ended() {
        return ended;
      },
      [Symbol.dispose]: () => socket.destroy(),
    });
  });
  outgoing.once('response', (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { statusCode = 0, headers } = incoming;
      resolve({ status: statusCode, headers, text, ended: true, socket: undefined, [Symbol.dispose]: () => {} });
    });
  });
  outgoing.end();
  return promise;
}
