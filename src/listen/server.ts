/**
 * The door: TLS with HTTP/2 and HTTP/1.1 on one port. Client certificates are asked for and taken unverified; authn
 * checks them against the tenant's CA. Sessions are not resumed, so that a certificate is seen on every connection.
 *
 * It bounds what a client may take before anybody knows who it is (time, headers, streams, connections), hands each
 * clean request to the handler, and answers the rest with a `Status`.
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/http2.html#http2createsecureserveroptions-onrequesthandler
 */
import { constants as crypto, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  Http2ServerResponse,
  constants as http2,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, methodNotAllowed } from '../errors.ts';
import type { Connection } from '../exchange.ts';
import { cutOff } from '../lib/cut-off.ts';
import { Connections } from './connections.ts';
import { requestHead } from './head.ts';
import { DEFAULT_LIMITS, type Listener, type ListenerOptions, type ListenLimits } from './options.ts';
import { peerOf } from './peer.ts';
import { connectionFault, lingerThenDestroy, refuseRaw } from './refuse.ts';

const GRACE_MS = 10_000;
/** After the grace: time for the last bytes of what was told to end. */
const LAST_MS = 1_000;
/** Made once: every answered request ends with it, and a stack for each would cost more than the rest of the ending. */
const CLIENT_GONE = new ApiError('ERR_UNAVAILABLE', 'the client is gone', { why: 'client-gone' });

/** @throws {Error} when the port is taken or may not be used; the message names it. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const server = createServer(options, limits);
  const connections = new Connections(server, limits);
  const draining = new AbortController();
  const ending = new AbortController();
  new Door(server, connections, options, limits, draining.signal, ending.signal).open();
  await listen(server, options.host, options.port);
  const { address, port } = server.address() as AddressInfo;

  let closed: Promise<void> | undefined;
  async function closeAll(graceMs: number): Promise<void> {
    const gone = once(server, 'close');
    // Tells HTTP/2 clients to go (GOAWAY), ends idle HTTP/1.1 connections, and lets requests finish.
    server.close();
    draining.abort();
    const timers = [
      setTimeout(() => ending.abort(new ApiError('ERR_UNAVAILABLE', 'the server is shutting down')), graceMs),
      setTimeout(() => connections.destroyAll(), graceMs + LAST_MS),
    ];
    await gone;
    for (const timer of timers) clearTimeout(timer);
  }
  const close = (graceMs = options.graceMs ?? GRACE_MS): Promise<void> => {
    closed ??= closeAll(graceMs);
    return closed;
  };
  if (options.signal?.aborted) await close();
  options.signal?.addEventListener('abort', () => void close(), { once: true });
  return { host: address, port, close };
}

function secureContext(
  cert: string,
  key: string,
): { cert: string; key: string; secureOptions: number; minVersion: 'TLSv1.2' } {
  return { cert, key, secureOptions: crypto.SSL_OP_NO_TICKET, minVersion: 'TLSv1.2' };
}

function createServer({ tls }: ListenerOptions, limits: ListenLimits): Http2SecureServer {
  const server = createSecureServer({
    ...secureContext(tls.cert, tls.key),
    allowHTTP1: true,
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: limits.handshakeTimeoutMs,
    noDelay: true,
    // A client that vanished without a word is noticed, for its watches hold resources upstream.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    settings: {
      maxConcurrentStreams: limits.concurrentStreams,
      maxHeaderListSize: limits.headerBytes,
      enablePush: false,
    },
    maxHeaderListPairs: limits.headerCount + 1,
    maxSessionMemory: limits.sessionMegabytes,
    unknownProtocolTimeout: limits.handshakeTimeoutMs,
    http1Options: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      // How long a body may take, whoever wants it says: what goes on to a pod takes as long as it takes.
      requestTimeout: 0,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, Math.max(100, Math.floor(limits.headersTimeoutMs / 2))),
      insecureHTTPParser: false,
      // requestHead asks for it: Node would answer without a Status.
      requireHostHeader: false,
    },
  } as Parameters<typeof createSecureServer>[0]);
  // The parser silently drops what is over its limit: one more than ours, so that ours is seen to be passed.
  (server as unknown as { maxHeadersCount: number }).maxHeadersCount = limits.headerCount + 1;
  return server;
}

async function listen(server: Http2SecureServer, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE'
        ? 'another program has it: stop that, or choose another port'
        : code === 'EACCES'
          ? 'this user may not use it: choose a port above 1023'
          : `${code ?? cause}: check the address`;
    throw new Error(`cannot listen on ${host} port ${port}: ${why}`, { cause });
  }
}

interface Underway {
  readonly request: AnyRequest;
  readonly response: AnyResponse;
}

type AnyRequest = IncomingMessage | Http2ServerRequest;
type AnyResponse = ServerResponse | Http2ServerResponse;

/** Turns what the server emits into calls of the handler, or refusals. */
class Door {
  readonly #server: Http2SecureServer;
  readonly #connections: Connections;
  readonly #options: ListenerOptions;
  readonly #limits: ListenLimits;
  readonly #draining: AbortSignal;
  readonly #ending: AbortSignal;
  /** HTTP/1.1 connections that were refused something: what was sent behind it is not read as a request. */
  readonly #shut = new WeakSet<object>();
  /** By HTTP/1.1 connection, what has not been answered yet. */
  readonly #underway = new WeakMap<object, Set<Underway>>();

  constructor(
    server: Http2SecureServer,
    connections: Connections,
    options: ListenerOptions,
    limits: ListenLimits,
    draining: AbortSignal,
    ending: AbortSignal,
  ) {
    this.#server = server;
    this.#connections = connections;
    this.#options = options;
    this.#limits = limits;
    this.#draining = draining;
    this.#ending = ending;
  }

  open(): void {
    const { log, renderError } = this.#options;
    this.#server.on('request', (request: AnyRequest, response: AnyResponse) => void this.#serve(request, response));
    this.#server.on('checkExpectation', (request: AnyRequest, response: AnyResponse) => {
      this.#refuse(
        request,
        response,
        new ApiError('ERR_BAD_REQUEST', 'the only expectation this server knows is 100-continue'),
      );
    });
    this.#server.on('connect', (request: AnyRequest, answer: AnyResponse | Duplex) => {
      const error = methodNotAllowed();
      if (answer instanceof Http2ServerResponse) this.#refuse(request, answer, error);
      else refuseRaw(answer as Duplex, error, renderError);
    });
    this.#server.on('upgrade', (request: IncomingMessage, socket: Socket, first: Buffer) => {
      void this.#serveUpgrade(request, socket, first);
    });
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      log.debug({ cause: error }, 'a connection failed');
      this.#failed(socket, connectionFault(error));
    });
    this.#server.on('sessionError', (error) => log.debug({ cause: error }, 'an HTTP/2 connection failed'));
  }

  /** Something is wrong with the bytes of an HTTP/1.1 connection, or with the time they take. */
  #failed(socket: Duplex, fault: ApiError | undefined): void {
    const [underway, ...more] = this.#underway.get(socket) ?? [];
    if (this.#shut.has(socket)) lingerThenDestroy(socket);
    else if (fault === undefined || more.length > 0) socket.destroy();
    else if (underway === undefined) refuseRaw(socket, fault, this.#options.renderError);
    else if (underway.response.headersSent) socket.destroy();
    else this.#refuse(underway.request, underway.response, fault);
  }

  /**
   * Node has taken its hands off the connection. Until it becomes something else it is answered like any other, once;
   * whatever the client sends after its request is never read as another.
   */
  async #serveUpgrade(request: IncomingMessage, socket: Socket, first: Buffer): Promise<void> {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    socket.on('error', (error) => this.#options.log.debug({ cause: error }, 'a connection failed'));
    response.once('finish', () => {
      response.detachSocket(socket);
      socket.end();
      lingerThenDestroy(socket);
    });
    const release = (): void => response.detachSocket(socket);
    await this.#serve(request, response, { socket, first, release });
  }

  async #serve(request: AnyRequest, response: AnyResponse, connection?: Connection): Promise<void> {
    const { handler, log } = this.#options;
    if (this.#shut.has(request.socket)) return;
    const id = randomUUID();
    const gone = new AbortController();
    if (connection === undefined) this.#follow(request, response, gone);
    else this.#followConnection(connection, gone);
    const peer = peerOf(request);
    if (peer === undefined) return;
    const over = this.#connections.begin(peer);
    (connection?.socket ?? response).once('close', over);
    try {
      const head = requestHead({
        id,
        maxHeaders: this.#limits.headerCount,
        httpVersion: request.httpVersion,
        method: request.method ?? '',
        target: request.url ?? '',
        rawHeaders: request.rawHeaders,
        peerCertificate: peer.certificate,
        tlsName: peer.tlsName,
        signal: gone.signal,
        upgrades: connection !== undefined,
      });
      const { remoteAddress } = peer;
      const belongsTo = (owner: string): void => this.#connections.own(peer, owner);
      const draining = this.#draining;
      await handler({ head, body: request, response, connection, remoteAddress, belongsTo, draining });
    } catch (error) {
      if (!(error instanceof ApiError) && !response.writableEnded)
        log.error({ id, err: error }, 'a request failed by a fault of the proxy');
      this.#refuse(request, response, error, id);
    }
  }

  /** Tells the handler when the client goes, and what is left of the body where to go. */
  #follow(request: AnyRequest, response: AnyResponse, gone: AbortController): void {
    const { log } = this.#options;
    const underway = { request, response };
    const session = 'stream' in request ? request.stream.session : undefined;
    const onSocket = this.#underway.get(request.socket) ?? new Set();
    if (!('stream' in request)) this.#underway.set(request.socket, onSocket.add(underway));
    const end = (): void => gone.abort(this.#ending.reason);
    this.#ending.addEventListener('abort', end);
    const fault = (error: Error): void => log.debug({ cause: error }, 'a connection failed');
    request.on('error', fault);
    response.on('error', fault);
    response.once('finish', () => {
      if ('stream' in request) {
        if (!request.complete) request.stream.close(http2.NGHTTP2_NO_ERROR);
        // Whoever has no credential pays for a new connection each time; kube-apiserver does the same.
        if (response.statusCode === 401) session?.close();
      } else if (!request.complete || this.#draining.aborted) {
        request.socket.end();
        lingerThenDestroy(request.socket);
      }
    });
    response.once('close', () => {
      this.#ending.removeEventListener('abort', end);
      onSocket.delete(underway);
      gone.abort(CLIENT_GONE);
    });
  }

  #followConnection({ socket }: Connection, gone: AbortController): void {
    const end = (): void => gone.abort(this.#ending.reason);
    this.#ending.addEventListener('abort', end);
    socket.once('close', () => {
      this.#ending.removeEventListener('abort', end);
      gone.abort(CLIENT_GONE);
    });
  }

  /** A refusal of the door's own, or the last resort for a handler that failed. */
  #refuse(request: AnyRequest, response: AnyResponse, error: unknown, id: string = randomUUID()): void {
    if (response.headersSent) {
      if (!response.writableEnded) cutOff(response);
      return;
    }
    const rendered = this.#options.renderError(error, id);
    // What the door refuses was ambiguous or unwanted: nothing more is read from that connection.
    if (!('stream' in request)) this.#shut.add(request.socket);
    const headers = 'stream' in request ? rendered.headers : { ...rendered.headers, connection: 'close' };
    const answer = response as ServerResponse;
    answer.writeHead(rendered.status, headers);
    answer.end(request.method === 'HEAD' ? undefined : rendered.body);
  }
}
