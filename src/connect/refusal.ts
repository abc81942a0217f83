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
import { statusToTenant } from '../translate/status.ts';
import type { ConnectCall } from './call.ts';

const REFUSAL_BYTES = 256 * 1024;
/** A URL of a kubelet, or what a dialer says of one. */
const OF_THE_HOST = /https?:\/\/|\bdial(?:ing)?\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|\bEOF$/;

/** Of the kubelet's own: what is no Status, or speaks of the host, is told in words of ours. */
export async function refusalOf(call: ConnectCall, answer: UpstreamStream): Promise<Reply> {
  const { status } = await statusIn(answer.chunks);
  if (status === undefined && answer.status === 400 && call.head.upgrade !== undefined) throw malformedHandshake();
  if (status === undefined || OF_THE_HOST.test(String(status['message']))) throw notReached(call, answer.status);
  return statusReply(call, answer.status, status);
}

export function statusReply({ scope, info }: ConnectCall, code: number, status: JsonObject): Reply {
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

/** The API server says of a handshake that it cannot take only what is wrong with it, as text. */
function malformedHandshake(): ApiError {
  return new ApiError(
    'ERR_BAD_REQUEST',
    'the connection was not made: the handshake is incomplete, or of a version that the API server does not speak',
    { why: 'upgrade' },
  );
}

function notReached({ info }: ConnectCall, status: number): ApiError {
  const { resource, subresource, name } = info;
  const message = `${resource} ${JSON.stringify(name)} cannot be reached: its node did not answer ${subresource}; try again, and tell the operator of the cluster if it stays so`;
  return new ApiError('ERR_INTERNAL', `Internal error occurred: ${message}`, {
    why: 'node-not-reached',
    cause: new Error(`the host answered ${resource}/${subresource} with ${status}`),
  });
}
