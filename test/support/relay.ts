/** A way to a server that a test can cut, freeze, slow down, lead elsewhere and mend: what passes is not looked at. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Ends what is open and refuses what comes. */
  cut(): void;
  /** Takes everything and lets nothing through, as a machine that hangs. */
  freeze(): void;
  /** Breaks each connection when so many bytes of answers have passed, in the middle of what comes then; 0 for never. */
  lose(everyBytes: number): void;
  /** Holds back what answers by so much. */
  delay(ms: number): void;
  /** New connections go there; those that are open are ended. */
  lead(toPort: number): void;
  mend(): void;
}

export async function openRelay(firstPort: number): Promise<Relay> {
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let toPort = firstPort;
  let everyBytes = 0;
  let delayMs = 0;
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
    let passed = 0;
    upstream.on('data', (chunk: Buffer) => {
      if (state !== 'open') return;
      passed += chunk.length;
      const isLost = everyBytes > 0 && passed >= everyBytes;
      const part = isLost ? chunk.subarray(0, Math.floor(chunk.length / 2)) : chunk;
      const pass = (): void => {
        if (client.destroyed) return;
        client.write(part);
        if (isLost) end();
      };
      // In order: timers of one length are.
      if (delayMs > 0) setTimeout(pass, delayMs);
      else pass();
    });
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
    lose(bytes) {
      everyBytes = bytes;
    },
    delay(ms) {
      delayMs = ms;
    },
    lead(port) {
      toPort = port;
      drop();
    },
    mend() {
      // What was swallowed meanwhile is missed by both sides.
      if (state === 'frozen') drop();
      state = 'open';
      everyBytes = 0;
      delayMs = 0;
    },
    async [Symbol.asyncDispose]() {
      drop();
      server.close();
    },
  };
}
