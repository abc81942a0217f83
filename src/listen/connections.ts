/**
 * Keeps the list of open connections: ends HTTP/2 connections that have had no request for a while (HTTP/1.1 has a
 * timer of Node's own), and at the end of the process ends them all.
 */
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #idleTimeoutMs: number;

  constructor(server: Http2SecureServer, idleTimeoutMs: number) {
    this.#idleTimeoutMs = idleTimeoutMs;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('session', (session: ServerHttp2Session) => this.#watchIdle(session));
  }

  get size(): number {
    return this.#sockets.size;
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
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
