/**
 * Reads a request body up to a limit. As kube-apiserver it does not undo `Content-Encoding`; unlike it, which hands the
 * packed bytes to its parser, it says so. A body that stalls is ended by the signal.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/rest.go (limitedReadBody) at v0.36
 */
import type { Readable } from 'node:stream';
import { ApiError } from '../errors.ts';

/**
 * @param limitBytes the largest body that is taken
 * @param signal the client is gone, or the request's time is up
 * @throws {ApiError} ERR_TOO_LARGE; ERR_UNSUPPORTED_MEDIA_TYPE for a packed body; ERR_BAD_REQUEST when it breaks off;
 *   the signal's reason
 */
export async function readBody(
  body: Readable,
  limitBytes: number,
  headers: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw new ApiError(
      'ERR_UNSUPPORTED_MEDIA_TYPE',
      'request bodies must not have a Content-Encoding: send them as they are',
    );
  }
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const take = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > limitBytes) reject(tooLarge(limitBytes));
    else chunks.push(chunk);
  };
  const end = (): void => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  const broken = (cause?: unknown): void =>
    reject(
      new ApiError('ERR_BAD_REQUEST', 'the request body ended before it was complete', { why: 'broken-body', cause }),
    );
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop);
  body.on('data', take).on('end', end).on('error', broken).on('close', broken);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    body.off('data', take).off('end', end).off('error', broken).off('close', broken);
    if (!body.readableEnded) body.pause();
  }
}

function tooLarge(limitBytes: number): ApiError {
  return new ApiError('ERR_TOO_LARGE', `Request entity too large: limit is ${limitBytes}`);
}
