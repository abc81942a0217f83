/**
 * Reply -> bytes on the wire: negotiated representation, kube-apiserver's headers, gzip for what is large, nothing but
 * headers for HEAD, and back-pressure. The last stage: what it throws is a fault, and becomes a Status like any other
 * while the headers are still ours to send.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/responsewriters/writers.go at v0.36
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ApiError } from '../errors.ts';
import type { Accept, Connection, Reply, Written } from '../exchange.ts';
import { cutOff } from '../lib/cut-off.ts';
import { type Logger, logged } from '../observe/log.ts';
import { encodeAs, speaksProtobuf } from './encode.ts';
import { gzipParts, type Part } from './gzip-parts.ts';
import { answerHeaders } from './headers.ts';
import { type Printed, printedAs } from './printed.ts';
import { isOpen, PIECE_BYTES, type Sink, type Waiting, writeBytes, writeLast } from './sink.ts';
import { errorHeaders, statusOf } from './status.ts';
import { writeStream } from './stream.ts';
import { writeTunnel } from './tunnel.ts';
import { type HeldWatch, writeWatch } from './watch.ts';

/** What of the request decides how its answer is written. */
export interface Answering {
  /** Audit-ID. */
  readonly id: string;
  readonly method: string;
  readonly accept: Accept;
  /** For a `Status`: see `negotiateError`. */
  readonly acceptError: Accept;
  /** The header, as sent. */
  readonly acceptEncoding: string | undefined;
  /** Fires when the client is gone. */
  readonly signal: AbortSignal;
  /** Ends a watch in good order: the process is ending. */
  readonly until?: AbortSignal | undefined;
  /** What a tunnel is made of. */
  readonly connection?: Connection | undefined;
  /** Says of a watch whether it may go on. */
  readonly held?: HeldWatch | undefined;
  /** Keeps count of what the tenant's watches wait with. */
  readonly waiting?: Waiting | undefined;
  /** How long a client may take nothing before its connection is ended. */
  readonly stallMs?: number;
  readonly log: Logger;
}

/** As kube-apiserver: smaller bodies are not worth it, and more than level 1 costs CPU for little. */
const GZIP_FROM_BYTES = 128 * 1024;
const GZIP_LEVEL = 1;
const STALL_MS = 60_000;
/** How long parts may be made before others have their turn. */
const SLICE_MS = 5;
/** A watch that is not read holds its event for as long, and its client loses nothing by watching again. */
const WATCH_STALL_MS = 30_000;
const NOTHING = new Uint8Array();
const gzipAsync = promisify(gzip);

/** Never throws for what a client or a handler does; a failure becomes a Status, or the end of the connection. */
export async function writeReply(sink: Sink, reply: Reply, answering: Answering): Promise<Written> {
  try {
    if (reply.kind === 'watch') {
      const { id, accept, signal, until, held, waiting, log, stallMs = WATCH_STALL_MS } = answering;
      return await writeWatch(sink, reply, { id, accept, signal, until, held, waiting, log, stallMs });
    }
    if (reply.kind === 'stream') {
      const { id, method, signal, held } = answering;
      return await writeStream(sink, reply, { id, method, signal, until: held?.until });
    }
    if (reply.kind === 'tunnel') {
      const { id, connection, signal, held } = answering;
      if (connection === undefined) throw new Error('a tunnel without a connection to make it of');
      const until = held === undefined ? signal : AbortSignal.any([signal, held.until]);
      return await writeTunnel(connection, reply, { id, until });
    }
    if (reply.kind === 'bytes') {
      const contentType = reply.status === 304 ? undefined : reply.contentType;
      return await send(
        sink,
        reply.status,
        answerHeaders(answering.id, contentType, reply.headers),
        reply.bytes,
        answering,
      );
    }
    if (reply.kind === 'printed') {
      const printed = await printedFor(reply, answering.accept);
      if (printed !== undefined) return await sendParts(sink, reply, printed, answering);
      const { status, headers = {} } = reply;
      return await writeReply(sink, { kind: 'object', status, object: reply.object(), headers }, answering);
    }
    // An error that came as an object, such as one of upstream's, is negotiated as an error all the same.
    const accept =
      reply.status < 400 ? answering.accept : errorAccept(answering.acceptError, speaksProtobuf(reply.object));
    const { contentType, bytes } = encodeAs(reply.object, accept);
    return await send(sink, reply.status, answerHeaders(answering.id, contentType, reply.headers), bytes, answering);
  } catch (error) {
    return await writeError(sink, error, answering);
  }
}

/** Answers with a `Status`, and logs what is not the client's doing. After the headers it can only cut the answer off. */
export async function writeError(sink: Sink, error: unknown, answering: Answering): Promise<Written> {
  const { id, log } = answering;
  const status = statusOf(error, id);
  if (!answering.signal.aborted) {
    if (!(error instanceof ApiError)) log.error({ id, err: error }, 'a request failed by a fault of the proxy');
    else if (error.cause !== undefined) {
      const entry = { id, why: error.why, code: status.code, said: logged(status.message), cause: error.cause };
      if (status.code >= 500) log.warn(entry, 'a request failed');
      else log.debug(entry, 'a request was refused');
    }
  }
  if (sink.headersSent) {
    if (isOpen(sink)) cutOff(sink);
    return { status: status.code, bodyBytes: 0 };
  }
  const object = { ...status } as unknown as Parameters<typeof encodeAs>[0];
  const { contentType, bytes } = encodeAs(object, errorAccept(answering.acceptError, speaksProtobuf(object)));
  const headers = { ...answerHeaders(id, contentType), ...errorHeaders(error) };
  return await send(sink, status.code, headers, bytes, answering);
}

function errorAccept(accept: Accept, protobuf: boolean): Accept {
  return accept.media === 'protobuf' && !protobuf ? { media: 'json', as: undefined } : accept;
}

async function send(
  sink: Sink,
  status: number,
  headers: OutgoingHttpHeaders,
  plain: Uint8Array,
  answering: Answering,
): Promise<Written> {
  let bytes = plain;
  if (plain.length > GZIP_FROM_BYTES && takesGzip(answering.acceptEncoding) && answering.method !== 'HEAD') {
    bytes = await gzipAsync(plain, { level: GZIP_LEVEL });
    headers['content-encoding'] = 'gzip';
    headers['vary'] = 'Accept-Encoding';
  }
  if (!isOpen(sink)) return writtenOf(status, 0, plain.length);
  const bodyless = status === 204 || status === 304;
  if (!bodyless) headers['content-length'] = bytes.length;
  sink.writeHead(status, headers);
  const body = bodyless || answering.method === 'HEAD' ? NOTHING : bytes;
  await writeLast(sink, body, { stallMs: answering.stallMs ?? STALL_MS, signal: answering.signal });
  return writtenOf(status, body.length, plain.length);
}

/** As protobuf, or as what the client would take instead. */
async function printedFor(reply: Extract<Reply, { kind: 'printed' }>, accept: Accept): Promise<Printed | undefined> {
  const printed = await printedAs(reply, accept);
  return printed === undefined && accept.otherwise !== undefined ? await printedAs(reply, accept.otherwise) : printed;
}

/** What is printed already, without putting its parts together: they are large, and many answers have them. */
async function sendParts(
  sink: Sink,
  { status, headers: given }: Extract<Reply, { kind: 'printed' }>,
  printed: Printed,
  answering: Answering,
): Promise<Written> {
  const headers = answerHeaders(answering.id, printed.contentType, given);
  let parts: readonly Uint8Array[] = await textsOf(printed.parts);
  const madeBytes = lengthOf(parts);
  if (madeBytes > GZIP_FROM_BYTES && takesGzip(answering.acceptEncoding) && answering.method !== 'HEAD') {
    parts = await gzipParts(printed.parts, GZIP_LEVEL);
    headers['content-encoding'] = 'gzip';
    headers['vary'] = 'Accept-Encoding';
  }
  if (!isOpen(sink)) return writtenOf(status, 0, madeBytes);
  const bytes = lengthOf(parts);
  headers['content-length'] = bytes;
  sink.writeHead(status, headers);
  if (answering.method === 'HEAD') parts = [];
  // Each part is a write and a TLS record of its own, which costs more than copying what is small.
  else if (bytes <= PIECE_BYTES) parts = [Buffer.concat(parts, bytes)];
  const patience = { stallMs: answering.stallMs ?? STALL_MS, signal: answering.signal };
  for (const part of parts.slice(0, -1)) if (!(await writeBytes(sink, part, patience))) break;
  await writeLast(sink, parts.at(-1) ?? NOTHING, patience);
  return writtenOf(status, lengthOf(parts), madeBytes);
}

function writtenOf(status: number, bodyBytes: number, madeBytes: number): Written {
  return madeBytes === bodyBytes ? { status, bodyBytes } : { status, bodyBytes, madeBytes };
}

/** Of a large list, many have to be made first: others have their turn in between. */
async function textsOf(parts: readonly Part[]): Promise<Uint8Array[]> {
  const texts: Uint8Array[] = [];
  let sliceMs = performance.now();
  for (const part of parts) {
    texts.push('forms' in part ? part.text : part);
    if (performance.now() - sliceMs < SLICE_MS) continue;
    await turn();
    sliceMs = performance.now();
  }
  return texts;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** As kube-apiserver: the bare word, whatever its weight. */
function takesGzip(acceptEncoding: string | undefined): boolean {
  return acceptEncoding?.split(',').some((token) => token.trim() === 'gzip') ?? false;
}
