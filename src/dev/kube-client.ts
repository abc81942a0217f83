/**
 * The few requests that starting a control plane needs, as its administrator, over one kept-alive connection pool.
 * For the proxy's own traffic see src/upstream/; this client is for setting a cluster up and for tests that look at it.
 */

import { Agent, request } from 'node:https';

export interface KubeClientOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export interface KubeAnswer {
  readonly status: number;
  /** Parsed JSON, or the text when it is not JSON. */
  readonly body: unknown;
}

export interface KubeClient {
  /** One request with a JSON body. Any HTTP status is an answer. @throws on network faults and after `timeoutMs`. */
  send(method: string, path: string, body?: unknown, contentType?: string): Promise<KubeAnswer>;
  /** Creates an object; one that is there already is fine. @throws on any other refusal, with the server's words. */
  create(path: string, object: unknown): Promise<void>;
  close(): void;
}

/** @param timeoutMs how long one request may take, answer included */
export function createKubeClient(options: KubeClientOptions, timeoutMs = 10_000): KubeClient {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 16,
    ca: options.caPem,
    cert: options.certPem,
    key: options.keyPem,
  });

  function send(method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<KubeAnswer> {
    return new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const outgoing = request(
        new URL(path, options.server),
        {
          agent,
          method,
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            accept: 'application/json',
            ...(payload === undefined
              ? {}
              : { 'content-type': contentType, 'content-length': Buffer.byteLength(payload) }),
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.once('error', reject);
          incoming.once('end', () =>
            resolve({ status: incoming.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) }),
          );
        },
      );
      outgoing.once('error', reject);
      outgoing.end(payload);
    });
  }

  return {
    send,
    async create(path, object) {
      const { status, body } = await send('POST', path, object);
      if (status === 201 || status === 409) return;
      throw new Error(`POST ${path} was answered with ${status}: ${JSON.stringify(body)}`);
    },
    close: () => agent.destroy(),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
