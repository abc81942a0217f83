/** Time and endings: clients that dawdle, clients that vanish, a process that stops. */

import type { ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { startDeadline } from '../../src/limit/deadline.ts';
import { readBody } from '../../src/listen/read-body.ts';
import { startListener } from '../../src/listen/server.ts';
import { logger } from '../../src/observe/log.ts';
import { renderError } from '../../src/respond/status.ts';
import { writeTunnel } from '../../src/respond/tunnel.ts';
import { openDoor } from '../support/door.ts';
import { lastBody, statusesOf, WireClient } from '../support/wire-client.ts';

const HEAD = 'Host: localhost\r\n';
const PLAIN = { host: '127.0.0.1', handler: async () => {}, renderError, log: logger('test') };
const QUICK = { headersTimeoutMs: 200, idleTimeoutMs: 200, handshakeTimeoutMs: 200 };
/** Longer than any of them, and than Node looks for connections that are late. */
const LONG_MS = 1_200;

describe('clients that dawdle', () => {
  it('refuses a head that never ends', async () => {
    await using door = await openDoor(QUICK);
    const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    client.send(`GET /a HTTP/1.1\r\n${HEAD}X-`);
    const received = await client.untilClosed();
    expect(statusesOf(received)).toEqual([400]);
    expect(lastBody(received)).toMatchObject({ kind: 'Status', message: 'the request did not arrive in time' });
  });

  it('refuses a body that never ends, where it is read whole', async () => {
    await using door = await openDoor(QUICK, async ({ head, body }) => {
      const { signal } = startDeadline(head.signal, 100);
      await readBody(body, 100, head.headers, signal);
    });
    const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    client.send(`POST /a HTTP/1.1\r\n${HEAD}Content-Length: 10\r\n\r\nabc`);
    expect(statusesOf(await client.untilClosed())).toEqual([504]);
  });

  it('takes a body for as long as it comes, where it goes on', async () => {
    await using door = await openDoor(QUICK, async ({ body, response }) => {
      const pieces: string[] = [];
      for await (const piece of body) pieces.push(String(piece));
      (response as ServerResponse).end(pieces.join(''));
    });
    const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    client.send(`POST /a HTTP/1.1\r\n${HEAD}Connection: close\r\nContent-Length: 2\r\n\r\na`);
    await new Promise((resolve) => setTimeout(resolve, LONG_MS));
    client.send('b');
    expect((await client.untilClosed()).toString()).toMatch(/^HTTP\/1\.1 200 .*ab/s);
  });

  it('keeps no connection whose body nobody wants', async () => {
    await using door = await openDoor(QUICK, async ({ response }) => {
      (response as ServerResponse).end('no, thanks');
    });
    const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    client.send(`POST /a HTTP/1.1\r\n${HEAD}Content-Length: 10\r\n\r\nabc`);
    expect(statusesOf(await client.untilClosed())).toEqual([200]);
  });

  it('keeps a connection that became something else, however long both ends are silent', async () => {
    await using door = await openDoor(QUICK, async ({ head, connection }) => {
      if (connection === undefined) throw new Error('no upgrade');
      const headers = { connection: 'Upgrade', upgrade: 'websocket' };
      // Says again what it is told.
      await writeTunnel(
        connection,
        { kind: 'tunnel', headers, upstream: new PassThrough() },
        { id: head.id, until: head.signal },
      );
    });
    const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    client.send(`GET /a HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    await client.until((text) => text.includes('\r\n\r\n'));
    await new Promise((resolve) => setTimeout(resolve, LONG_MS));
    client.send('still here');
    expect(String(await client.until((text) => text.includes('still here')))).toMatch(/^HTTP\/1\.1 101 .*still here$/s);
    client.end();
  });

  it('hangs up on a connection that sends nothing', async () => {
    await using door = await openDoor(QUICK);
    const [one, two] = await Promise.all([
      WireClient.open({ port: door.port, alpn: 'http/1.1' }),
      WireClient.open({ port: door.port, alpn: 'h2' }),
    ]);
    two.send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0');
    await Promise.all([one.untilClosed(), two.untilClosed()]);
    expect(door.seen).toEqual([]);
  });

  it('hangs up on a connection that begins no handshake', async () => {
    await using door = await openDoor(QUICK);
    const socket = connectTcp(door.port, '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('close', resolve));
    expect(socket.destroyed).toBe(true);
  });

  it('lets an answer take its time', async () => {
    await using door = await openDoor(QUICK, async ({ response }) => {
      const sink = response as ServerResponse;
      sink.writeHead(200);
      sink.write('a');
      await new Promise((resolve) => setTimeout(resolve, LONG_MS));
      sink.end('b');
    });
    const session = connectHttp2(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
    const stream = session.request({ ':path': '/slow' });
    const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    client.send(`GET /a HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of stream) text += chunk;
    expect(text).toBe('ab');
    expect((await client.untilClosed()).toString()).toMatch(/1\r\nb\r\n0\r\n\r\n$/);
    session.close();
  });
});

describe('clients that vanish', () => {
  it.each(['http/1.1', 'h2'] as const)('tells the handler (%s)', async (alpn) => {
    const started = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<unknown>();
    await using door = await openDoor({}, async ({ head }) => {
      head.signal.addEventListener('abort', () => gone.resolve(head.signal.reason));
      started.resolve();
      await gone.promise;
    });
    if (alpn === 'h2') {
      const session = connectHttp2(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
      session.on('error', () => {});
      const stream = session.request({ ':path': '/watch' });
      stream.on('error', () => {});
      await started.promise;
      stream.close(8);
      expect(await gone.promise).toMatchObject({ why: 'client-gone' });
      session.destroy();
    } else {
      const client = await WireClient.open({ port: door.port, alpn });
      client.send(`GET /watch HTTP/1.1\r\n${HEAD}\r\n`);
      await started.promise;
      client.end();
      expect(await gone.promise).toMatchObject({ why: 'client-gone' });
    }
  });

  it('outlives errors of a handler, before and after the headers', async () => {
    await using door = await openDoor({}, async ({ head, response }) => {
      if (head.target === '/late') (response as ServerResponse).writeHead(200).write('a');
      throw new TypeError('a secret of ours');
    });
    const early = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    early.send(`GET /early HTTP/1.1\r\n${HEAD}\r\n`);
    const received = await early.untilClosed();
    expect(statusesOf(received)).toEqual([500]);
    expect(lastBody(received)).toMatchObject({ kind: 'Status', reason: 'InternalError', code: 500 });
    expect(received.toString()).not.toContain('secret');
    const late = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    late.send(`GET /late HTTP/1.1\r\n${HEAD}\r\n`);
    const cut = (await late.untilClosed()).toString();
    expect(cut).toContain('200 OK');
    expect(cut).not.toMatch(/0\r\n\r\n$/);
  });
});

describe('the end of the process', () => {
  it('lets a request finish, and takes no new connection', async () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const door = await openDoor({}, async ({ response }) => {
      started.resolve();
      await finish.promise;
      (response as ServerResponse).end('done');
    });
    const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    client.send(`GET /a HTTP/1.1\r\n${HEAD}\r\n`);
    await started.promise;
    const closed = door.listener.close(60_000);
    await expect(WireClient.open({ port: door.port, alpn: 'http/1.1' })).rejects.toThrow('ECONNREFUSED');
    finish.resolve();
    expect((await client.untilClosed()).toString()).toContain('done');
    await closed;
  });

  it('tells watches to end', async () => {
    const door = await openDoor({}, async ({ response, draining }) => {
      (response as ServerResponse).writeHead(200).write('event');
      draining.addEventListener('abort', () => (response as ServerResponse).end('last'));
    });
    const session = connectHttp2(`https://127.0.0.1:${door.port}`, { rejectUnauthorized: false });
    const stream = session.request({ ':path': '/watch' });
    await new Promise((resolve) => stream.once('data', resolve));
    const ended = new Promise((resolve) => stream.once('data', resolve));
    const away = new Promise((resolve) => session.once('goaway', resolve));
    await door.listener.close(60_000);
    expect(String(await ended)).toBe('last');
    expect(await away).toBe(0);
  });

  it('ends what does not end itself, after the grace', async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<unknown>();
    const door = await openDoor({}, async ({ head }) => {
      head.signal.addEventListener('abort', () => aborted.resolve(head.signal.reason));
      started.resolve();
      await new Promise(() => {});
    });
    const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    client.send(`GET /a HTTP/1.1\r\n${HEAD}\r\n`);
    await started.promise;
    await door.listener.close(100);
    expect(await aborted.promise).toMatchObject({ message: 'the server is shutting down' });
    await client.untilClosed();
  });

  it('closes by the signal it was given', async () => {
    await using door = await openDoor();
    const stop = new AbortController();
    const second = await startListener({ ...PLAIN, port: 0, tls: door.tls, signal: stop.signal });
    (await WireClient.open({ port: second.port, alpn: 'http/1.1' })).end();
    stop.abort();
    await second.close();
    await expect(WireClient.open({ port: second.port, alpn: 'http/1.1' })).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a port that cannot be had', () => {
  it('says which, and what to do', async () => {
    await using door = await openDoor();
    const second = startListener({ ...PLAIN, port: door.port, tls: door.tls });
    await expect(second).rejects.toThrow(
      `cannot listen on 127.0.0.1 port ${door.port}: another program has it: stop that, or choose another port`,
    );
  });
});
