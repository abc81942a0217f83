/**
 * Requests with nothing between the test and the wire: raw headers, the body as it came, no retry, no redirect. Every
 * answer keeps all of its bytes, for the search for what must not be in them (`canary.ts`).
 */
import { request } from 'node:https';
import { gunzipSync } from 'node:zlib';

export interface RawRequest {
  readonly server: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array | undefined;
  readonly caPem?: string;
  readonly certPem?: string | undefined;
  readonly keyPem?: string | undefined;
  readonly token?: string;
  /** Takes any certificate of the server. */
  readonly insecure?: boolean;
  /** Reads until the body has this, then ends the connection: for streams. */
  readonly until?: (text: string) => boolean;
  readonly timeoutMs?: number;
}

export interface RawAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Name, value, name, value, as they came. */
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it came: possibly packed. */
  readonly body: Buffer;
  /** Unpacked. */
  readonly text: string;
}

/** One request on a connection of its own. Any status is an answer. @throws on network faults and after `timeoutMs` */
export function requestOnce(asked: RawRequest): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const body = asked.body === undefined ? undefined : Buffer.from(asked.body);
  const outgoing = request(new URL(asked.server), {
    // Not through URL, which would tidy up what a test means to be malformed.
    path: asked.path,
    method: asked.method ?? 'GET',
    agent: false,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
      ...(asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` }),
      ...asked.headers,
    },
    signal: AbortSignal.timeout(asked.timeoutMs ?? 90_000),
    rejectUnauthorized: asked.insecure !== true,
    ...(asked.caPem === undefined ? {} : { ca: asked.caPem }),
    ...(asked.certPem === undefined ? {} : { cert: asked.certPem, key: asked.keyPem }),
  });
  // Of a connection that breaks after its answer nothing is to be said.
  outgoing.on('error', reject);
  outgoing.once('response', (incoming) => {
    const chunks: Buffer[] = [];
    const finish = (): void => {
      const whole = Buffer.concat(chunks);
      const packed = incoming.headers['content-encoding'] === 'gzip';
      resolve({
        status: incoming.statusCode ?? 0,
        statusText: incoming.statusMessage ?? '',
        rawHeaders: incoming.rawHeaders,
        headers: incoming.headers,
        body: whole,
        text: (packed ? gunzipSync(whole) : whole).toString('utf8'),
      });
    };
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (asked.until?.(Buffer.concat(chunks).toString('utf8')) !== true) return;
      finish();
      outgoing.destroy();
    });
    incoming.once('end', finish);
    incoming.on('error', reject);
  });
  outgoing.end(body);
  return promise;
}

/** The body as JSON. @throws when it is not, showing it */
export function jsonOf<T = Record<string, unknown>>(answer: Pick<RawAnswer, 'text' | 'status'>): T {
  try {
    return JSON.parse(answer.text) as T;
  } catch (cause) {
    throw new Error(`not JSON (status ${answer.status}): ${answer.text.slice(0, 500)}`, { cause });
  }
}
