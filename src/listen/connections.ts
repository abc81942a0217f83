/**
 * Keeps the list of open connections: makes room when there are too many (`crowd.ts` says whose ends), ends HTTP/2
 * connections that have had no request for a while (HTTP/1.1 has a timer of Node's own), and at the end of the process
 * ends them all.
 */
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { Crowd, type CrowdLimits, type Member } from './crowd.ts';

/** A connection is ended a moment after it is told to: so many may come meanwhile. */
const ENDING = 1_000;

/** What tells a connection from all others that are open. */
export interface OtherEnd {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

export class Connections {
  readonly #crowd: Crowd;
  readonly #byOtherEnd = new Map<string, Member>();
  readonly #idleTimeoutMs: number;

  constructor(
    server: Http2SecureServer,
    { idleTimeoutMs, ...limits }: CrowdLimits & { readonly idleTimeoutMs: number },
  ) {
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#crowd = new Crowd(limits);
    server.maxConnections = limits.connections + ENDING;
    server.on('connection', (socket: Socket) => this.#enter(socket));
    server.on('session', (session: ServerHttp2Session) => this.#watchIdle(session));
  }

  destroyAll(): void {
    for (const { end } of this.#crowd) end();
  }

  /** A request has come on it; the function is called once, when it is over. */
  begin(socket: OtherEnd): () => void {
    const member = this.#byOtherEnd.get(keyOf(socket));
    return member === undefined ? () => {} : this.#crowd.begin(member);
  }

  /** A request on it has shown whose it is. */
  own(socket: OtherEnd, owner: string): void {
    const member = this.#byOtherEnd.get(keyOf(socket));
    if (member !== undefined) this.#crowd.own(member, owner);
  }

  /** The plain connection below TLS; what comes of it later is found by its other end. */
  #enter(socket: Socket): void {
    const key = keyOf(socket);
    const member = this.#crowd.enter(socket.remoteAddress ?? '', () => socket.destroy());
    this.#byOtherEnd.set(key, member);
    socket.once('close', () => {
      this.#crowd.leave(member);
      if (this.#byOtherEnd.get(key) === member) this.#byOtherEnd.delete(key);
    });
  }

  /** Counted by open requests, not by silence: a watch may be silent for an hour. */
  #watchIdle(session: ServerHttp2Session): void {
    let open = 0;
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      timer = setTimeout(() => {
        session.close();
        // A client that does not go when told to is cut off.
        timer = setTimeout(() => session.destroy(), this.#idleTimeoutMs);
        timer.unref();
      }, this.#idleTimeoutMs);
      timer.unref();
    };
    wait();
    session.on('stream', (stream) => {
      open++;
      clearTimeout(timer);
      stream.once('close', () => {
        open--;
        if (open === 0 && !session.destroyed) wait();
      });
    });
    session.once('close', () => clearTimeout(timer));
  }
}

function keyOf({ remoteAddress, remotePort }: OtherEnd): string {
  return `${remoteAddress} ${remotePort}`;
}
