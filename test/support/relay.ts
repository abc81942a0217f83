/** A way to a server that a test can cut, freeze and mend: what passes is not looked at. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Ends what is open and refuses what comes. */
  cut(): void;
  /** Takes everything and lets nothing through, as a machine that hangs. */
  freeze(): void;
  mend(): void;
}

export async function openRelay(toPort: number): Promise<Relay> {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(toPort, '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    client.on('data', (chunk) => state === 'open' && upstream.write(chunk));
    upstream.on('data', (chunk) => state === 'open' && client.write(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = (): void => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      drop();
    },
    freeze() {
      state = 'frozen';
    },
    mend() {
      // What was swallowed meanwhile is missed by both sides.
      if (state === 'frozen') drop();
      state = 'open';
    },
    async [Symbol.asyncDispose]() {
      drop();
      server.close();
    },
  };
}
