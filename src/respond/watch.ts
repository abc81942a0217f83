/**
 * A watch as it goes out: one JSON document a line, or one protobuf frame, for each event. Headers are sent at once, for
 * clients wait for them; no event is taken from upstream before the client has taken the one before; whatever ends the
 * stream ends the events too, so that nothing is left running upstream.
 *
 * Once the stream has begun, a failure is an ERROR event and the end.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/watch.go at v0.36
 */

import { hasProtobuf } from '../codec/protobuf/codec.ts';
import { encodeWatchEvent, frameWatchEvent } from '../codec/protobuf/frames.ts';
import { ApiError } from '../errors.ts';
import type { Accept, Reply, SharedEvent, Written } from '../exchange.ts';
import type { WatchEvent } from '../k8s/types.ts';
import type { Logger } from '../observe/log.ts';
import { noProtobuf } from './encode.ts';
import { answerHeaders } from './headers.ts';
import { enclosed } from './printed.ts';
import { isOpen, type Sink, type Waiting, writeBytes, writeLast } from './sink.ts';
import { statusOf } from './status.ts';

export interface Watching {
  readonly id: string;
  readonly accept: Accept;
  readonly signal: AbortSignal;
  readonly until: AbortSignal | undefined;
  readonly held: HeldWatch | undefined;
  readonly waiting: Waiting | undefined;
  readonly stallMs: number;
  readonly log: Logger;
}

/** Whoever judges the watch while it is open. */
export interface HeldWatch {
  /** Ends it in good order; the reason is an {@link ApiError}. */
  readonly until: AbortSignal;
  /** Asked before each event: false when nothing more may be sent. */
  mayGoOn(): boolean;
}

const NOTHING = new Uint8Array();

/** @throws {ApiError} ERR_NOT_ACCEPTABLE, before anything was sent. */
export async function writeWatch(
  sink: Sink,
  reply: Extract<Reply, { kind: 'watch' }>,
  watching: Watching,
): Promise<Written> {
  const { id, signal, until, held, waiting, stallMs } = watching;
  const events = reply.events[Symbol.asyncIterator]();
  const pump = new Pump(events, watching);
  const ends = [signal, until, held?.until];
  const stopped = new AbortController();
  const stop = (): void => {
    pump.stop();
    stopped.abort();
  };
  let bodyBytes = 0;
  try {
    const protobuf = inProtobuf(watching.accept, reply);
    pump.protobuf = protobuf;
    const contentType = protobuf ? 'application/vnd.kubernetes.protobuf;stream=watch' : 'application/json';
    sink.writeHead(200, answerHeaders(id, contentType, reply.headers));
    sink.flushHeaders();
    for (const each of ends) {
      each?.addEventListener('abort', stop);
      if (each?.aborted) stop();
    }
    const patience = { stallMs, signal: stopped.signal, waiting };
    while (isOpen(sink)) {
      const next = await pump.next();
      if (next === undefined || held?.mayGoOn() === false) break;
      bodyBytes += next.bytes.length;
      if (!(await writeBytes(sink, next.bytes, patience)) || next.last) break;
    }
    // A client that does not read would otherwise keep its connection for as long as it likes.
    await writeLast(sink, NOTHING, { stallMs, signal });
    return { status: 200, bodyBytes, ...whyEnded(sink, watching) };
  } finally {
    pump.stop();
    for (const each of ends) each?.removeEventListener('abort', stop);
    // Not awaited: an iterator that waits for upstream answers only when upstream does.
    events.return?.()?.then(undefined, (cause: unknown) => watching.log.debug({ id, cause }, 'a watch ended badly'));
  }
}

/** For the audit. The client learns it from the answer to its next request. */
function whyEnded(sink: Sink, { held, signal }: Watching): Pick<Written, 'why'> {
  if (held?.until.aborted === true) {
    const { reason } = held.until as { reason: unknown };
    return { why: reason instanceof ApiError ? reason.why : 'fault' };
  }
  return sink.destroyed && !signal.aborted ? { why: 'client-slow' } : {};
}

/** One event as it goes out. The object that it was made of is let go of: a client may be slow to take it. */
interface Next {
  readonly bytes: Uint8Array;
  readonly last: boolean;
}

/** Takes events until it is stopped, also while it waits for one. */
class Pump {
  protobuf = false;
  readonly #events: AsyncIterator<WatchEvent | SharedEvent>;
  readonly #watching: Watching;
  #stopped = false;
  #wake: ((nothing: undefined) => void) | undefined;

  constructor(events: AsyncIterator<WatchEvent | SharedEvent>, watching: Watching) {
    this.#events = events;
    this.#watching = watching;
  }

  readonly stop = (): void => {
    this.#stopped = true;
    this.#wake?.(undefined);
  };

  /** Undefined at the end. A failure is the last event. */
  async next(): Promise<Next | undefined> {
    if (this.#stopped) return undefined;
    // A promise for each event: racing all of them against one that lives as long as the watch would keep them all.
    const { promise, resolve } = Promise.withResolvers<Next | undefined>();
    this.#wake = resolve;
    void this.#take().then(resolve);
    return await promise;
  }

  async #take(): Promise<Next | undefined> {
    try {
      const { done, value } = await this.#events.next();
      return done || this.#stopped ? undefined : encodeEvent(value, this.protobuf, this.#watching);
    } catch (error) {
      if (this.#stopped) return undefined;
      return { ...encodeEvent(errorEvent(error, this.#watching), this.protobuf, this.#watching), last: true };
    }
  }
}

function encodeEvent(event: WatchEvent | SharedEvent, protobuf: boolean, watching: Watching): Next {
  if (!('of' in event)) return encodeAnew(event, protobuf, watching);
  const form = protobuf ? 'protobuf' : 'json';
  const known = event.forms.get(form);
  if (known !== undefined) return { bytes: known, last: false };
  const bytes = protobuf ? frameOf(event) : lineOf(event);
  if (bytes === undefined) return withoutProtobuf(watching);
  event.forms.set(form, bytes);
  return { bytes, last: false };
}

function lineOf({ type, of }: SharedEvent): Uint8Array {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), of.json, Buffer.from('}\n')]);
}

function frameOf({ type, of }: SharedEvent): Uint8Array | undefined {
  const object = enclosed(of);
  return object && frameWatchEvent(type, object);
}

function encodeAnew(event: Pick<WatchEvent, 'type' | 'object'>, protobuf: boolean, watching: Watching): Next {
  if (!protobuf) {
    const text = `{"type":${JSON.stringify(event.type)},"object":${JSON.stringify(event.object)}}\n`;
    return { bytes: Buffer.from(text), last: false };
  }
  const frame = encodeWatchEvent(event.type, event.object);
  return frame === undefined ? withoutProtobuf(watching) : { bytes: frame, last: false };
}

/** An object that has a field which the schema does not have. */
function withoutProtobuf(watching: Watching): Next {
  const failed = encodeWatchEvent('ERROR', errorEvent(noProtobuf(), watching).object);
  if (failed === undefined) throw new TypeError('a Status has no protobuf form');
  return { bytes: failed, last: true };
}

function errorEvent(error: unknown, watching: Watching): WatchEvent {
  const { id, log } = watching;
  if (!(error instanceof ApiError)) log.error({ id, err: error }, 'a watch failed by a fault of the proxy');
  return { type: 'ERROR', object: { ...statusOf(error, id) } as unknown as WatchEvent['object'] };
}

function inProtobuf(accept: Accept, reply: Extract<Reply, { kind: 'watch' }>): boolean {
  if (accept.media !== 'protobuf') return false;
  if (accept.as !== undefined || (reply.gvk !== undefined && hasProtobuf(reply.gvk))) return true;
  if (accept.otherwise?.media === 'json') return false;
  throw noProtobuf();
}
