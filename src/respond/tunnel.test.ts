import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeTunnel } from './tunnel.ts';

let server: Server;
let ends: Socket[];

/** Two ends of a connection of the kernel's. */
async function pair(): Promise<[Socket, Socket]> {
  const { port } = server.address() as { port: number };
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const near = dial({ port, host: '127.0.0.1', allowHalfOpen: true });
  const [far] = await accepted;
  ends.push(near, far);
  return [near, far];
}

beforeEach(async () => {
  ends = [];
  server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const end of ends) end.destroy();
  server.close();
});

async function text(socket: Socket, needed: string): Promise<string> {
  let all = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    all += String(chunk);
    if (all.includes(needed)) break;
  }
  return all;
}

async function open(said?: Transform) {
  const [client, socket] = await pair();
  const [pod, upstream] = await pair();
  const ending = new AbortController();
  let released = false;
  const written = writeTunnel(
    { socket, first: Buffer.from('early '), release: () => (released = true) },
    {
      kind: 'tunnel',
      headers: { upgrade: 'websocket', connection: 'Upgrade', 'x-bad': 'a\r\nb: c' },
      upstream,
      ...(said && { said }),
    },
    { id: 'audit', until: ending.signal },
  );
  return { client, pod, ending, written, isReleased: () => released };
}

describe('a tunnel', () => {
  it('begins with 101 and what upstream agreed to, and nothing that breaks a line', async () => {
    const { client, isReleased } = await open();
    const head = await text(client, '\r\n\r\n');
    expect(head).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\naudit-id: audit\r\n\r\n',
    );
    expect(isReleased()).toBe(true);
  });

  it('carries bytes both ways, those that came early first', async () => {
    const { client, pod } = await open();
    client.write('hello');
    expect(await text(pod, 'hello')).toBe('early hello');
    pod.write('world');
    expect(await text(client, 'world')).toMatch(/\r\n\r\nworld$/);
  });

  it.each(['client', 'pod'] as const)('ends as a whole when the %s goes', async (who) => {
    const tunnel = await open();
    await text(tunnel.client, '\r\n\r\n');
    const other = who === 'client' ? tunnel.pod : tunnel.client;
    other.resume();
    const closed = once(other, 'close');
    tunnel[who].destroy();
    other.on('end', () => other.end());
    await closed;
    expect(await tunnel.written).toMatchObject({ status: 101 });
  });

  it('gives the client what the pod said last', async () => {
    const { client, pod, written } = await open();
    pod.end('the end');
    expect(await text(client, 'the end')).toContain('the end');
    client.end();
    expect(await written).toEqual({ status: 101, bodyBytes: 7 });
  });

  it('gives the client what is made of the pod’s words, to the last', async () => {
    const said = new Transform({ transform: (chunk, _encoding, done) => done(null, String(chunk).toUpperCase()) });
    const { client, pod, written } = await open(said);
    pod.end('the end');
    expect(await text(client, 'THE END')).toMatch(/\r\n\r\nTHE END$/);
    client.end();
    expect(await written).toMatchObject({ status: 101 });
  });

  it('ends at both ends where nothing can be made of them', async () => {
    const said = new Transform({ transform: (_chunk, _encoding, done) => done(new Error('malformed')) });
    const { client, pod, written } = await open(said);
    await text(client, '\r\n\r\n');
    const closed = once(client.resume(), 'close');
    client.on('end', () => client.end());
    pod.write('malformed');
    await written;
    await closed;
  });

  it('ends at once when it may not go on', async () => {
    const { client, pod, ending, written } = await open();
    await text(client, '\r\n\r\n');
    const closed = Promise.all([once(client.resume(), 'close'), once(pod.resume(), 'close')]);
    client.on('end', () => client.end());
    pod.on('end', () => pod.end());
    client.on('error', () => {});
    pod.on('error', () => {});
    ending.abort();
    await written;
    await closed;
  });
});
