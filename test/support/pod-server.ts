/** What a pod listens on is a port of this machine: servers that stand for the program in it. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

export interface PodServer {
  readonly port: number;
  /** Connections that stand now. */
  readonly connections: number;
  close(): void;
}

/** Repeats what it is sent: `said hello`. */
export async function startRepeating(): Promise<PodServer> {
  return await listening(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => socket.write(`said ${chunk}`));
    }),
  );
}

/** Says what it was sent once its client has said its last: `all: hello`. */
export async function startAnsweringAtTheEnd(): Promise<PodServer> {
  return await listening(
    createServer({ allowHalfOpen: true }, (socket: Socket) => {
      const pieces: Buffer[] = [];
      socket.on('error', () => {});
      socket.on('data', (piece) => pieces.push(piece));
      socket.on('end', () => socket.end(`all: ${Buffer.concat(pieces)}`));
    }),
  );
}

async function listening(server: Server): Promise<PodServer> {
  let connections = 0;
  server.on('connection', (socket) => {
    connections++;
    socket.once('close', () => connections--);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    get connections() {
      return connections;
    },
    close: () => void server.close(),
  };
}
