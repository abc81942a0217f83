/**
 * Where an answer goes: what Node's HTTP/1.1 and HTTP/2 responses have in common. Writing tells whether the client
 * keeps up, waiting for it is bounded: a client that does not read loses its connection, not our memory.
 */
import type { OutgoingHttpHeaders } from 'node:http';

export interface Sink {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly destroyed: boolean;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
  write(chunk: Uint8Array | string): boolean;
  end(chunk?: Uint8Array | string): unknown;
  destroy(error?: Error): unknown;
  on(event: 'drain' | 'finish' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'finish' | 'close', listener: () => void): unknown;
}

/** True while something can still be written. */
export function isOpen(sink: Sink): boolean {
  return !sink.destroyed && !sink.writableEnded;
}

/** Larger bodies are written in pieces, so that a client that is slow but reads is not taken for one that does not. */
const PIECE_BYTES = 256 * 1024;

/**
 * Writes one chunk and waits until the client has taken enough for the next. Resolves to false when the client is gone,
 * the signal has fired, or nothing was taken for `stallMs`; the last also ends the connection.
 */
export async function writeChunk(
  sink: Sink,
  chunk: Uint8Array | string,
  stallMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!isOpen(sink)) return false;
  if (sink.write(chunk)) return true;
  return await taken(sink, 'drain', stallMs, signal);
}

/** Writes what is left of an answer, and waits until it is out: only then is the request over. */
export async function writeLast(sink: Sink, bytes: Uint8Array, stallMs: number, signal: AbortSignal): Promise<void> {
  let at = 0;
  for (; bytes.length - at > PIECE_BYTES; at += PIECE_BYTES) {
    if (!(await writeChunk(sink, bytes.subarray(at, at + PIECE_BYTES), stallMs, signal))) return;
  }
  if (!isOpen(sink)) return;
  const finished = taken(sink, 'finish', stallMs, signal);
  sink.end(bytes.length === 0 ? undefined : bytes.subarray(at));
  await finished;
}

/** Waits for the event; false, and the connection is ended, when it does not come for `stallMs`. */
async function taken(sink: Sink, event: 'drain' | 'finish', stallMs: number, signal?: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const done = (): void => resolve(true);
  const gone = (): void => resolve(false);
  const timer = setTimeout(() => {
    sink.destroy();
    resolve(false);
  }, stallMs);
  sink.on(event, done);
  sink.on('close', gone);
  signal?.addEventListener('abort', gone);
  if (signal?.aborted) gone();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    sink.off(event, done);
    sink.off('close', gone);
    signal?.removeEventListener('abort', gone);
  }
}
