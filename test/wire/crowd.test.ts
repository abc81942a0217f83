/**
 * More connections, and more requests on them, than there is room for: whoever brings them loses them, and everybody else
 * is served, before, meanwhile and after.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import type { Handler } from '../../src/listen/options.ts';
import { writeLast } from '../../src/respond/sink.ts';
import { type Door, openDoor } from '../support/door.ts';
import { FLAG, FRAME, frame, framesOf, headerBlock, PREFACE } from '../support/http2-frames.ts';
import { statusesOf, WireClient } from '../support/wire-client.ts';

const LIMITS = { connections: 20, strangersRequests: 50 };
const SETTINGS_INITIAL_WINDOW_SIZE = 4;

/** Who has a credential is known by it, `/watch` lasts until its client goes, and everything else is 200. */
const serve: Handler = async ({ head, response, belongsTo }) => {
  const sink = response as ServerResponse;
  const owner = head.headers.get('authorization');
  if (owner !== undefined) belongsTo(owner);
  if (head.target === '/nobody') throw new ApiError('ERR_UNAUTHORIZED', 'Unauthorized');
  sink.writeHead(200);
  if (head.target !== '/watch') return await writeLast(sink, Buffer.from('served'), { stallMs: 60_000 });
  sink.write('begun');
  if (!head.signal.aborted) await once(head.signal, 'abort');
};

const clients: (() => void)[] = [];

/** The door, whose clients go before it does. */
async function open(): Promise<Pick<Door, 'port'> & AsyncDisposable> {
  const door = await openDoor(LIMITS, serve);
  return {
    port: door.port,
    async [Symbol.asyncDispose]() {
      for (const end of clients.splice(0)) end();
      await door[Symbol.asyncDispose]();
    },
  };
}

async function crowd(port: number, many: number, localAddress: (at: number) => string): Promise<WireClient[]> {
  const alpn = (at: number) => (at % 2 === 0 ? 'h2' : 'http/1.1');
  const opening = Array.from({ length: many }, (_, at) =>
    WireClient.open({ port, alpn: alpn(at), localAddress: localAddress(at) }).catch(() => undefined),
  );
  const crowded = (await Promise.all(opening)).filter((client) => client !== undefined);
  clients.push(...crowded.map((client) => () => client.end()));
  return crowded;
}

function honest(port: number): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => {});
  clients.push(() => session.destroy());
  return session;
}

async function ask(session: ClientHttp2Session, path: string, owner: string): Promise<string> {
  const stream = session.request({ ':path': path, authorization: owner });
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

describe('connections without end', () => {
  const addresses: [from: string, localAddress: (at: number) => string][] = [
    ['one address', () => '127.0.0.2'],
    ['an address each', (at) => `127.0.1.${at + 1}`],
  ];
  it.each(addresses)('from %s keep nobody out, and end nobody else’s', async (_from, localAddress) => {
    await using door = await open();
    const session = honest(door.port);
    const watch = session.request({ ':path': '/watch', authorization: 'acme' });
    await once(watch, 'data');
    const idle = honest(door.port);
    expect(await ask(idle, '/a', 'globex')).toBe('served');
    const crowded = await crowd(door.port, 60, localAddress);
    // The older ones were ended for the newer.
    await expect.poll(() => crowded.filter(({ socket }) => !socket.closed).length).toBeLessThanOrEqual(18);
    for (let at = 0; at < 5; at++) {
      expect(await ask(honest(door.port), '/a', 'newcomer')).toBe('served');
      const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
      client.send('GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: newcomer\r\n\r\n');
      expect(statusesOf(await client.untilClosed())).toEqual([200]);
    }
    expect({ watch: watch.closed, idle: idle.closed }).toEqual({ watch: false, idle: false });
  });

  it('of one tenant keep no other out, and end no request of its own', async () => {
    await using door = await open();
    const watch = honest(door.port).request({ ':path': '/watch', authorization: 'acme' });
    await once(watch, 'data');
    const greedy: ClientHttp2Session[] = [];
    for (let at = 0; at < 40; at++) {
      const session = honest(door.port);
      expect(await ask(session, '/a', 'acme')).toBe('served');
      greedy.push(session);
    }
    await expect.poll(() => greedy.filter(({ closed }) => !closed).length).toBe(19);
    const others: ClientHttp2Session[] = [];
    for (let at = 0; at < 5; at++) {
      const session = honest(door.port);
      expect(await ask(session, '/a', 'globex')).toBe('served');
      others.push(session);
    }
    expect({ watch: watch.closed, others: others.filter(({ closed }) => closed) }).toEqual({
      watch: false,
      others: [],
    });
  });

  it('are all kept below the limit', async () => {
    await using door = await open();
    const crowded = await crowd(door.port, 19, () => '127.0.0.2');
    expect(await ask(honest(door.port), '/a', 'acme')).toBe('served');
    expect(crowded.filter(({ socket }) => !socket.closed)).toHaveLength(19);
  });
});

describe('answers to nobody that are never taken', () => {
  /** Asks again and again on one connection, and gives the answers no room. */
  async function never(port: number, path: string, times: number): Promise<WireClient> {
    const [client] = await crowd(port, 1, () => '127.0.0.3');
    if (client === undefined) throw new Error('no connection');
    const noRoom = Buffer.alloc(6);
    noRoom.writeUInt16BE(SETTINGS_INITIAL_WINDOW_SIZE);
    const block = headerBlock([
      [':method', 'GET'],
      [':scheme', 'https'],
      [':path', path],
      [':authority', 'localhost'],
    ]);
    const asked = Array.from({ length: times }, (_, at) =>
      frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 2 * at + 1, block),
    );
    client.send(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0, noRoom), ...asked]));
    return client;
  }

  it.each(['/healthz', '/nobody'])('end the connection when they are too many (%s)', async (path) => {
    await using door = await open();
    const calm = honest(door.port);
    const watch = calm.request({ ':path': '/watch', authorization: 'acme' });
    await once(watch, 'data');
    await (await never(door.port, path, 200)).untilClosed();
    expect(await ask(calm, '/a', 'acme')).toBe('served');
    expect(watch.closed).toBe(false);
  });

  it('are waited for while they are few', async () => {
    await using door = await open();
    const client = await never(door.port, '/healthz', 40);
    await client.until((bytes) => framesOf(bytes).filter(({ type }) => type === FRAME.headers).length === 40);
    expect(await ask(honest(door.port), '/a', 'acme')).toBe('served');
    expect(client.socket.closed).toBe(false);
  });
});
