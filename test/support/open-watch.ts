/** A watch as a client holds it: open until the server ends it or the test does, with everything that came. */
import { request } from 'node:https';
import { eventually } from './processes.ts';

export interface WatchRequest {
  readonly server: string;
  readonly path: string;
  readonly caPem: string;
  readonly certPem?: string;
  readonly keyPem?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OpenWatch extends Disposable {
  readonly path: string;
  readonly status: number;
  /** All that came so far. */
  readonly text: string;
  /** Undefined while it is open: `end` in good order, or what broke it. */
  readonly ended: string | undefined;
  /** Waits until what came has this. @throws when it does not come, or the watch ends before */
  until(text: string): Promise<void>;
}

/** Resolves when the answer has begun; any status is an answer. */
export function openWatch({
  server,
  path,
  token,
  caPem,
  certPem,
  keyPem,
  headers = {},
}: WatchRequest): Promise<OpenWatch> {
  const { promise, resolve, reject } = Promise.withResolvers<OpenWatch>();
  const outgoing = request(new URL(path, server), {
    agent: false,
    ca: caPem,
    ...(certPem === undefined ? {} : { cert: certPem, key: keyPem }),
    headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
  });
  outgoing.on('error', reject);
  outgoing.once('response', (incoming) => {
    const chunks: Buffer[] = [];
    let ended: string | undefined;
    const textNow = (): string => Buffer.concat(chunks).toString('utf8');
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => (ended ??= 'end'));
    incoming.once('error', (error) => (ended ??= String(error)));
    outgoing.on('error', (error) => (ended ??= String(error)));
    resolve({
      path,
      status: incoming.statusCode ?? 0,
      get text() {
        return textNow();
      },
      get ended() {
        return ended;
      },
      async until(text) {
        await eventually(`${path} sends ${text}`, () => {
          if (textNow().includes(text)) return true;
          if (ended !== undefined) throw new Error(`${path} ended (${ended}) without ${text}: ${textNow()}`);
          return false;
        });
      },
      [Symbol.dispose]: () => outgoing.destroy(),
    });
  });
  outgoing.end();
  return promise;
}
