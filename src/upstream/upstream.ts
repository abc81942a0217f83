/**
 * The one way to the host's API server. Sets our identity last, from a fixed list of headers, and turns every fault of
 * the connection into an ApiError in plain words: nothing is retried that could write twice.
 *
 * HTTP/1.1 with keep-alive: one connection a request in flight, so that a stalled watch never holds up another tenant.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
import { Agent, type Dispatcher } from 'undici';
import { ApiError } from '../errors.ts';
import type {
  Upstream,
  UpstreamForwarding,
  UpstreamIdentity,
  UpstreamPassing,
  UpstreamRequest,
  UpstreamStream,
} from '../ports.ts';
import type { Credentials } from './credentials.ts';
import { forward } from './forward.ts';
import { identityHeaders } from './identity-headers.ts';
import { pass } from './passage.ts';

export interface UpstreamOptions {
  /** `https://10.0.0.1:6443`, without a path. */
  server: string;
  caPem: string | undefined;
  credentials: Credentials;
  /** How long upstream may take to begin its answer. A watch begins at once, so this holds for streams too. */
  answerTimeoutMs?: number;
  /** Longest silence on a stream: bookmarks come every minute, so a longer one means a dead peer. */
  silenceTimeoutMs?: number;
  /** Largest answer that is read whole. */
  responseBytes?: number;
  /** All requests over as few connections as will do. Only where nobody is impersonated. */
  http2?: boolean;
}

export interface ClosableUpstream extends Upstream, UpstreamPassing, UpstreamForwarding {
  close(): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 65_000;
const SILENCE_TIMEOUT_MS = 100_000;
/** On one connection; the API server takes 250. */
const STREAMS = 100;
const RESPONSE_BYTES = 512 * 1024 * 1024;

export function createUpstream(options: UpstreamOptions): ClosableUpstream {
  const silenceTimeoutMs = options.silenceTimeoutMs ?? SILENCE_TIMEOUT_MS;
  const responseBytes = options.responseBytes ?? RESPONSE_BYTES;
  const agent = new Agent({
    connect: {
      ...(options.caPem === undefined ? {} : { ca: options.caPem }),
      timeout: 5_000,
      ...options.credentials.tls,
    },
    headersTimeout: options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
    bodyTimeout: silenceTimeoutMs,
    keepAliveTimeout: 30_000,
    // Over HTTP/2 undici would join the impersonated groups into one header, which the API server reads as one group.
    ...(options.http2 === true ? { allowH2: true, pipelining: STREAMS } : { allowH2: false, pipelining: 1 }),
  });

  async function send(request: UpstreamRequest): Promise<Dispatcher.ResponseData> {
    try {
      return await agent.request({
        origin: options.server,
        path: pathOf(request),
        method: request.method,
        headers: await headersOf(request, options.credentials),
        body: request.body ?? null,
        signal: request.signal ?? null,
      });
    } catch (cause) {
      throw unreachable(cause);
    }
  }

  return {
    async request(request) {
      const answer = await send(request);
      return { status: answer.statusCode, headers: answer.headers, body: await readAll(answer, responseBytes) };
    },
    async stream(request) {
      const answer = await send(request);
      return { status: answer.statusCode, headers: answer.headers, chunks: chunksOf(answer.body) };
    },
    async pass(passage) {
      try {
        const headers = [...passage.headers.flat(), ...(await identityOf(passage.identity, options.credentials))];
        const passed = await pass(agent, options.server, passage, headers);
        return passed.socket === undefined ? { ...passed, chunks: chunksOf(passed.chunks) } : passed;
      } catch (cause) {
        throw unreachable(cause);
      }
    },
    async forward(wanted) {
      const headers = await identityOf(wanted.identity, options.credentials);
      return await forward(agent, options.server, wanted, headers);
    },
    close: () => agent.destroy(),
  } satisfies ClosableUpstream;
}

function pathOf(request: UpstreamRequest): string {
  if (request.query === undefined || request.query.length === 0) return request.path;
  return `${request.path}?${new URLSearchParams(request.query as Array<[string, string]>)}`;
}

/** A flat list: undici takes a header that occurs several times only so. */
async function headersOf(request: UpstreamRequest, credentials: Credentials): Promise<string[]> {
  const headers = ['user-agent', 'kubeveil', 'accept', request.accept ?? 'application/json'];
  if (request.ifNoneMatch !== undefined) headers.push('if-none-match', request.ifNoneMatch);
  if (request.contentType !== undefined) headers.push('content-type', request.contentType);
  headers.push(...(await identityOf(request.identity, credentials)));
  return headers;
}

/** Who asks: set last, so that nothing before it counts. */
async function identityOf(identity: UpstreamIdentity, credentials: Credentials): Promise<string[]> {
  const authorization = await credentials.authorization(identity);
  return [...identityHeaders(identity), ...(authorization === undefined ? [] : ['authorization', authorization])];
}

async function readAll({ headers, body }: Dispatcher.ResponseData, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    // No more can come than is announced, and an iterator of chunks costs more than the rest of reading an object.
    if (Number(headers['content-length'] ?? Number.NaN) <= limitBytes) return await body.bytes();
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > limitBytes)
        throw new ApiError('ERR_TOO_LARGE', 'the answer is too large; ask for it in pages (limit)');
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof ApiError ? cause : unreachable(cause);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

async function* chunksOf(body: AsyncIterable<Uint8Array>): UpstreamStream['chunks'] {
  try {
    yield* body;
  } catch (cause) {
    throw unreachable(cause);
  }
}

function unreachable(cause: unknown): Error {
  const code = (cause as { code?: string }).code ?? '';
  const name = (cause as { name?: string }).name ?? '';
  if (cause instanceof ApiError) return cause;
  if (name === 'AbortError')
    return new ApiError('ERR_TIMEOUT', 'the request was ended before it was answered', { cause, why: 'aborted' });
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new ApiError('ERR_TIMEOUT', 'the cluster did not answer in time; try again', {
      cause,
      why: code === 'UND_ERR_BODY_TIMEOUT' ? 'upstream-silent' : 'upstream-slow',
      details: { retryAfterSeconds: 1 },
    });
  }
  return new ApiError('ERR_UNAVAILABLE', 'the cluster cannot be reached at the moment; try again', {
    cause,
    why: 'upstream-down',
    details: { retryAfterSeconds: 1 },
  });
}
