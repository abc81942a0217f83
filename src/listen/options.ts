/** What the listener is told: where, with which certificate, and how much a client may take of it. */

import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Readable } from 'node:stream';
import type { Connection, RequestHead } from '../exchange.ts';
import type { Logger } from '../observe/log.ts';

export interface ListenLimits {
  /** Request line and headers together. */
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly handshakeTimeoutMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** How long a connection may stay without a request. */
  readonly idleTimeoutMs: number;
  /** Requests at once on one HTTP/2 connection. */
  readonly concurrentStreams: number;
  readonly connections: number;
  /** Requests at once on connections of which nobody knows yet whose they are. */
  readonly strangersRequests: number;
  /** What one HTTP/2 connection may hold in buffers. */
  readonly sessionMegabytes: number;
}

/** As kube-apiserver where it has such a limit, else generous for honest clients. */
export const DEFAULT_LIMITS: ListenLimits = {
  headerBytes: 64 * 1024,
  headerCount: 200,
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  idleTimeoutMs: 90_000,
  concurrentStreams: 1_000,
  connections: 10_000,
  strangersRequests: 10_000,
  sessionMegabytes: 64,
};

/** PEM. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
}

/** One request, as the pipeline gets it. */
export interface Incoming {
  readonly head: RequestHead;
  /** As it comes in; `readBody` reads it. What is left unread when the answer is out is thrown away. */
  readonly body: Readable;
  readonly response: ServerResponse | Http2ServerResponse;
  /** The connection itself, of a request that asks for an upgrade; `response` answers on it until it is let go. */
  readonly connection?: Connection | undefined;
  /** For the log. */
  readonly remoteAddress: string;
  /** Said when the request has shown whose its connection is: who has too many gives way, see `crowd.ts`. */
  readonly belongsTo: (owner: string) => void;
  /** Fires when the process is ending: watches then end in good order. */
  readonly draining: AbortSignal;
}

/** Must answer on `response`; what it throws is a fault of ours and becomes a 500. */
export type Handler = (incoming: Incoming) => Promise<void>;

/** How a refusal is written before there is a request to speak of: `respond/status.ts` has it. */
export type RenderError = (
  error: unknown,
  id: string,
) => { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };

export interface ListenerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly tls: TlsMaterial;
  readonly handler: Handler;
  readonly renderError: RenderError;
  readonly log: Logger;
  readonly limits?: Partial<ListenLimits>;
  /** Closes the listener when it fires. */
  readonly signal?: AbortSignal;
  /** How long requests may go on after that. */
  readonly graceMs?: number;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Takes no more connections, lets requests end for `graceMs`, then ends them. Twice is once. */
  close(graceMs?: number): Promise<void>;
}
