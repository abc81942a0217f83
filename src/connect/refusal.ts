/**
 * What the host's API server answers instead of a connection, in the tenant's terms. Where a kubelet does not answer it
 * speaks of nodes and addresses of the host: that stays with the operator.
 */
import { parseJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { isStatus } from '../k8s/shapes.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { UpstreamStream } from '../ports.ts';
import { refuseHostLack } from '../translate/host-lack.ts';
import { statusToTenant } from '../translate/status.ts';
import type { ConnectCall } from './call.ts';

const REFUSAL_BYTES = 256 * 1024;
const TEXT_BYTES = 1_024;
/** A URL of a kubelet, or what a dialer or a connection says of one. */
const OF_THE_HOST = /https?:\/\/|\bdial(?:ing)?\b|\b(?:read|write) (?:tcp|udp)\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|\bEOF$/;
/** In the list of a sub-protocol: what clients offer, and what servers speak. */
const PROTOCOLS = String.raw`\[[\w.+/ -]*\]`;
/**
 * What API server and kubelet say of a handshake and nothing else, whoever of them it was that refused: each repeats at most
 * what was asked for.
 * @see golang.org/x/net websocket/hybi.go, github.com/gorilla/websocket server.go, k8s.io/streaming pkg/httpstream/httpstream.go
 * @see k8s.io/cri-streaming pkg/streaming/portforward/websocket.go at v0.36
 */
const OF_HANDSHAKES = [
  '',
  'Bad Request',
  'Method Not Allowed',
  'bad method',
  'mismatch challenge/response',
  'missing or bad WebSocket Version',
  'query parameter "port" is required',
  'port "[0-9]+" must be > 0',
  'unable to upgrade: header X-Stream-Protocol-Version does not exist in request with [0-9]+ headers',
  `unable to upgrade: unable to negotiate protocol: client supports ${PROTOCOLS}, server accepts ${PROTOCOLS}`,
].map((pattern) => new RegExp(`^${pattern}$`));
const OF_THE_CLIENT: ReadonlySet<number> = new Set([400, 403, 405]);

/** Of the kubelet's own: what is no Status, or speaks of the host, is told in words of ours. */
export async function refusalOf(call: ConnectCall, answer: UpstreamStream): Promise<Reply> {
  const { status, chunks } = await statusIn(answer.chunks);
  if (status === undefined) {
    const reply = call.head.upgrade === undefined ? undefined : await handshakeReply(answer, chunks);
    if (reply !== undefined) return reply;
    throw notReached(call, answer.status);
  }
  if (speaksOfTheHost(String(status['message']))) throw notReached(call, answer.status);
  return statusReply(call, answer.status, status);
}

/** Whether a text says something of nodes, or of the way to them. */
export function speaksOfTheHost(text: string): boolean {
  return OF_THE_HOST.test(text);
}

/** @throws {ApiError} ERR_UNAVAILABLE where the host refuses what the tenant's roles allow */
export function statusReply({ scope, info, tenant }: ConnectCall, code: number, status: JsonObject): Reply {
  refuseHostLack(code, status, tenant.id);
  return { kind: 'object', status: code, object: statusToTenant(status, scope, info) };
}

/** Looks whether an answer is a Status. What it has read of one that is not comes first in `chunks`. */
export async function statusIn(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ status: JsonObject; chunks?: undefined } | { status?: undefined; chunks: AsyncIterable<Uint8Array> }> {
  const source = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  for (let bytes = 0; bytes <= REFUSAL_BYTES; ) {
    const next = await source.next();
    if (next.done) {
      const status = parsed(read);
      return status === undefined ? { chunks: all(read) } : { status };
    }
    bytes += next.value.length;
    read.push(next.value);
  }
  return { chunks: all(read, { [Symbol.asyncIterator]: () => source }) };
}

function parsed(read: readonly Uint8Array[]): JsonObject | undefined {
  try {
    const document = parseJson(Buffer.concat(read));
    return isObject(document) && isStatus(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

async function* all(first: Iterable<Uint8Array>, rest?: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* first;
  if (rest !== undefined) yield* rest;
}

/**
 * What is said of a handshake that cannot be taken is text, and goes on as it is where it is known. Another may repeat all
 * headers of the request, ours too.
 * @returns undefined where the handshake is not what is refused. @throws {ApiError} where it is, in words that are not known
 */
async function handshakeReply(
  { status, headers }: UpstreamStream,
  chunks: AsyncIterable<Uint8Array>,
): Promise<Reply | undefined> {
  const text = await beginning(chunks);
  if (OF_THE_CLIENT.has(status) && OF_HANDSHAKES.some((known) => known.test(text.trim()))) {
    const version = headers['sec-websocket-version'];
    return {
      kind: 'bytes',
      status,
      contentType: 'text/plain; charset=utf-8',
      bytes: Buffer.from(text),
      ...(version === '13' && { headers: { 'sec-websocket-version': version } }),
    };
  }
  if (status !== 400) return undefined;
  const message =
    'the connection was not made: the handshake is incomplete, or of a version that the API server does not speak';
  throw new ApiError('ERR_BAD_REQUEST', message, { why: 'upgrade' });
}

async function beginning(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    bytes += chunk.length;
    if (bytes > TEXT_BYTES) break;
  }
  return Buffer.concat(read).toString('utf8');
}

export function notReached({ info }: Pick<ConnectCall, 'info'>, status: number): ApiError {
  const { resource, subresource, name } = info;
  const message = `${resource} ${JSON.stringify(name)} cannot be reached: its node did not answer ${subresource}; try again, and tell the operator of the cluster if it stays so`;
  return new ApiError('ERR_INTERNAL', `Internal error occurred: ${message}`, {
    why: 'node-not-reached',
    cause: new Error(`the host answered ${resource}/${subresource} with ${status}`),
  });
}
