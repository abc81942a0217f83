/**
 * Where an answer goes: what Node's HTTP/1.1 and HTTP/2 responses have in common. Writing tells whether the client
 * keeps up, waiting for it is bounded: a client that does not read loses its connection, not our memory.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { type CutOff, cutOff } from '../lib/cut-off.ts';

export interface Sink extends CutOff {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly destroyed: boolean;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
  write(chunk: Uint8Array | string): boolean;
  end(chunk?: Uint8Array | string): unknown;
  on(event: 'drain' | 'finish' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'finish' | 'close', listener: () => void): unknown;
}

/** True while something can still be written. */
export function isOpen(sink: Sink): boolean {
  return !sink.destroyed && !sink.writableEnded;
}

/**
 * Larger bodies are written in pieces: a client that is slow but reads is then not taken for one that does not, and what
 * it has not taken yet is one piece in the socket's buffers, not a copy of the whole in each of them.
 */
export const PIECE_BYTES = 64 * 1024;

/** How a client is waited for. */
export interface Patience {
  /** A client that takes nothing for as long loses its connection; infinite for one that may. */
  readonly stallMs: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
  /** Keeps count of what waits to be taken; see `waiting.ts`. */
  readonly waiting?: Waiting | undefined;
}

export interface Waiting {
  /** @param giveUp ends the connection. @returns what is called when the client has taken something, or is gone */
  begin(bytes: number, giveUp: () => void): () => void;
}

/**
 * Writes bytes, each piece when the client has taken enough of the one before. Resolves to false when the client is
 * gone, the signal has fired, or nothing was taken for too long; the last also ends the connection.
 */
export async function writeBytes(sink: Sink, bytes: Uint8Array, patience: Patience): Promise<boolean> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (!isOpen(sink)) return false;
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    if (!sink.write(piece) && !(await taken(sink, 'drain', bytes.length - at, patience))) return false;
  }
  return isOpen(sink);
}

/** Writes what is left of an answer, and waits until it is out: only then is the request over. */
export async function writeLast(sink: Sink, bytes: Uint8Array, patience: Patience): Promise<void> {
  const last = Math.max(0, Math.ceil(bytes.length / PIECE_BYTES) - 1) * PIECE_BYTES;
  if (last > 0 && !(await writeBytes(sink, bytes.subarray(0, last), patience))) return;
  if (!isOpen(sink)) return;
  const finished = taken(sink, 'finish', bytes.length - last, patience);
  sink.end(bytes.length === 0 ? undefined : bytes.subarray(last));
  await finished;
}

/** Waits for the event; false, and the connection is ended, when it does not come for `stallMs`. */
async function taken(sink: Sink, event: 'drain' | 'finish', bytes: number, patience: Patience): Promise<boolean> {
  const { stallMs, signal, waiting } = patience;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const done = (): void => resolve(true);
  const gone = (): void => resolve(false);
  const giveUp = (): void => {
    cutOff(sink);
    resolve(false);
  };
  const timer = Number.isFinite(stallMs) ? setTimeout(giveUp, stallMs) : undefined;
  sink.on(event, done);
  sink.on('close', gone);
  signal?.addEventListener('abort', gone);
  if (signal?.aborted) gone();
  const stopWaiting = waiting?.begin(bytes, () => cutOff(sink));
  try {
    return await promise;
  } finally {
    stopWaiting?.();
    clearTimeout(timer);
    sink.off(event, done);
    sink.off('close', gone);
    signal?.removeEventListener('abort', gone);
  }
}
