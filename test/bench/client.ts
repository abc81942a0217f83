/**
 * The client that stands on the user's side, the same one for the proxy and for the API server: connections are made
 * once and kept, every answer is read to its end.
 */
import { Pool } from 'undici';

/** Where, and as whom. */
export interface Access {
  readonly server: string;
  /** Undefined: any certificate will do. */
  readonly caPem: string | undefined;
  readonly certPem?: string;
  readonly keyPem?: string;
}

export interface ClientOptions {
  readonly connections: number;
  /** HTTP/2, as kubectl and client-go speak; else HTTP/1.1. Default false. */
  readonly http2?: boolean;
  /** The credential, where no certificate is. */
  readonly token?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

export interface BenchClient extends AsyncDisposable {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(path: string, object: unknown): Promise<Answer>;
  remove(path: string): Promise<Answer>;
}

export function openClient(access: Access, options: ClientOptions): BenchClient {
  const pool = new Pool(access.server, {
    connections: options.connections,
    pipelining: 1,
    allowH2: options.http2 ?? false,
    keepAliveTimeout: 60_000,
    connect: {
      ...(access.caPem === undefined ? { rejectUnauthorized: false } : { ca: access.caPem }),
      ...(access.certPem === undefined ? {} : { cert: access.certPem, key: access.keyPem }),
    },
  });
  async function send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body: string | null,
    more = {},
  ): Promise<Answer> {
    const type = body === null ? {} : { 'content-type': 'application/json' };
    const credential = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    const headers = { accept: 'application/json', ...credential, ...type, ...more };
    const answer = await pool.request({ method, path, headers, body });
    return { status: answer.statusCode, body: Buffer.from(await answer.body.arrayBuffer()) };
  }
  return {
    get: (path, headers) => send('GET', path, null, headers),
    post: (path, object) => send('POST', path, JSON.stringify(object)),
    remove: (path) => send('DELETE', path, null),
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

/** @throws {Error} when the answer is no 200 */
export async function getOrFail(client: BenchClient, path: string): Promise<Buffer> {
  const { status, body } = await client.get(path);
  if (status === 200) return body;
  throw new Error(`GET ${path} was answered with ${status}: ${body.toString('utf8').slice(0, 500)}`);
}
