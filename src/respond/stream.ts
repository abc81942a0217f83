/**
 * An answer whose bytes come as they come: a log that is followed, what a pod answers. Each chunk goes out when it is
 * there. A client may take its time: while it does not read, nothing more is read for it.
 */
import type { Reply, ReplyHeaders, Written } from '../exchange.ts';
import { cutOff } from '../lib/cut-off.ts';
import { isOpen, type Sink, writeBytes, writeLast } from './sink.ts';

type StreamReply = Extract<Reply, { kind: 'stream' }>;

export interface Streaming {
  /** Audit-ID. */
  readonly id: string;
  readonly method: string;
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
  /** Ends the answer: the right to it is gone. */
  readonly until: AbortSignal | undefined;
}

const NOTHING = new Uint8Array();
/** `kubectl logs -f | less` stops reading for as long as somebody reads. */
const PATIENT = Number.POSITIVE_INFINITY;

/** @throws what the source throws; the headers are out by then */
export async function writeStream(sink: Sink, reply: StreamReply, streaming: Streaming): Promise<Written> {
  const { id, method, until } = streaming;
  const signal = until === undefined ? streaming.signal : AbortSignal.any([streaming.signal, until]);
  let bodyBytes = 0;
  if (!isOpen(sink)) return { status: reply.status, bodyBytes };
  sink.writeHead(reply.status, headersOf(id, reply.headers));
  sink.flushHeaders();
  const patience = { stallMs: PATIENT, signal };
  if (method !== 'HEAD') {
    for await (const chunk of untilAborted(reply.chunks, signal)) {
      bodyBytes += chunk.length;
      if (!(await writeBytes(sink, chunk, patience))) break;
    }
  }
  // Cut off, not ended: what is missing must not look like the whole.
  if (signal.aborted && isOpen(sink)) cutOff(sink);
  await writeLast(sink, NOTHING, patience);
  return { status: reply.status, bodyBytes };
}

function headersOf(id: string, own: ReplyHeaders): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'audit-id': id, 'cache-control': 'no-cache, private' };
  for (const [name, value] of Object.entries(own)) headers[name] = typeof value === 'string' ? value : [...value];
  return headers;
}

/** Ends when the signal fires, also while the source is silent; the source is told to stop. */
async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    for (;;) {
      const next = await Promise.race([source.next(), aborted]);
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // Not waited for: it may hang on a source that says nothing.
    void Promise.resolve(source.return?.()).catch(() => {});
  }
}
