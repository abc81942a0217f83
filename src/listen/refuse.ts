/**
 * Answers what never becomes a request: bytes that are no HTTP, heads that are too large or too slow, CONNECT.
 * Each gets a `Status` where the connection can still carry one, and the connection ends.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../errors.ts';
import type { RenderError } from './options.ts';

/** How long a client has to take the refusal and go. */
const LINGER_MS = 500;

/** Writes a whole HTTP/1.1 answer on a bare connection and ends it. */
export function refuseRaw(socket: Duplex, error: ApiError, renderError: RenderError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = renderError(error, randomUUID());
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const reason = STATUS_CODES[status] ?? '';
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`);
  lingerThenDestroy(socket);
}

/**
 * Gives the client time to read the answer before the connection goes: destroying it while the client still sends would
 * reset it, and the answer with it.
 */
export function lingerThenDestroy(socket: Duplex): void {
  socket.on('error', () => {});
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/** What a parser or timer of Node's found wrong with a connection, as a refusal; undefined when it is simply gone. */
export function connectionFault(error: NodeJS.ErrnoException): ApiError | undefined {
  const { code = '' } = error;
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('ERR_HEADERS_TOO_LARGE', 'the request line and headers are larger than this server takes');
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return malformed('the chunk extensions of the body are too large', error);
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return malformed('the request did not arrive in time', error);
  if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE')
    return malformed('the request is not valid HTTP/1.1', error);
  return undefined;
}

function malformed(message: string, cause: unknown): ApiError {
  return new ApiError('ERR_BAD_REQUEST', message, { why: 'malformed-http', cause });
}
