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
  on(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}

/** True while something can still be written. */
export function isOpen(sink: Sink): boolean {
  return !sink.destroyed && !sink.writableEnded;
}

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
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const drained = (): void => resolve(true);
  const gone = (): void => resolve(false);
  const timer = setTimeout(() => {
    sink.destroy();
    resolve(false);
  }, stallMs);
  sink.on('drain', drained);
  sink.on('close', gone);
  signal?.addEventListener('abort', gone);
  if (signal?.aborted) gone();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    sink.off('drain', drained);
    sink.off('close', gone);
    signal?.removeEventListener('abort', gone);
  }
}
