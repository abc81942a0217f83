/**
 * What is not answered from memory goes to the API server as it came, and its answer back as it is: with the caller's own
 * token, or, where the caller showed the node's own client certificate, as the node.
 *
 * http-proxy does it, with three of its ways mended here: it would send a DELETE whose body has no length as one without a
 * body, and the body as the next request of somebody else; it would let an answer hang that the API server cuts off; and a
 * watch whose HTTP/2 client is gone would go on upstream.
 *
 * @see https://github.com/sagemathinc/http-proxy-3
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import { createProxyServer } from 'http-proxy';
import { ApiError } from '../errors.ts';
import { cutOff } from '../lib/cut-off.ts';

/** Where to, and as whom. */
export interface ForwardTarget {
  /** `https://10.0.0.1:6443` */
  readonly server: string;
  readonly caPem: string | undefined;
  /** Of whom the connection is; undefined where each request has its own token. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Value of Authorization, instead of the caller's; undefined leaves the caller's. */
  authorization(): Promise<string | undefined>;
}

export interface Forwarder extends Disposable {
  /** Resolves when the answer is out, or the client gone. @throws {ApiError} while it can still be answered otherwise */
  forward(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** As the API server takes them. */
const BODY_BYTES = 3 * 1024 * 1024;
/** http-proxy says of these that they have no body, unless they have a length. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['DELETE', 'OPTIONS']);

export function createForwarder({ server, caPem, tls, authorization }: ForwardTarget): Forwarder {
  const agent = new Agent({ keepAlive: true, ...tls, ...(caPem === undefined ? {} : { ca: caPem }) });
  // `toProxy`: the target goes on as the parser took it, and is not read and written anew.
  const proxy = createProxyServer({ target: server, agent, changeOrigin: true, toProxy: true });
  proxy.on('proxyReq', (asking, _request, response) => {
    response.once('close', () => asking.destroy());
  });
  proxy.on('proxyRes', (answer, _request, response) => {
    answer.on('error', () => cutOff(response));
  });

  return {
    async forward(request, response) {
      const headers: Record<string, string> = {};
      const own = await authorization();
      if (own !== undefined) headers['authorization'] = own;
      const body = WITHOUT_BODY.has(request.method ?? '') ? await readAll(request) : undefined;
      if (body !== undefined) headers['content-length'] = String(body.length);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      response.once('close', resolve);
      const options = { headers, ...(body === undefined ? {} : { buffer: Readable.from([body]) }) };
      proxy.web(request, response, options, (cause) => {
        if (response.headersSent || response.destroyed) {
          cutOff(response);
          resolve();
        } else {
          reject(unreachable(cause));
        }
      });
      await promise;
    },
    [Symbol.dispose]() {
      agent.destroy();
      proxy.close();
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES) throw new ApiError('ERR_TOO_LARGE', `the request body is larger than ${BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unreachable(cause: unknown): ApiError {
  return new ApiError('ERR_UNAVAILABLE', 'the API server cannot be reached at the moment; try again', {
    cause,
    why: 'upstream-down',
    details: { retryAfterSeconds: 1 },
  });
}
