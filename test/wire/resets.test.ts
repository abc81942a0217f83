/**
 * Streams that end before their answer, without end: reset by the client, or reset by the server because the client breaks
 * a rule on each (`MadeYouReset`). Either way the limit of streams at once does not hold them back, so the connection ends,
 * and what has begun for it is told to stop.
 * @see CVE-2023-44487, CVE-2025-8671
 */
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { openDoor } from '../support/door.ts';
import { FLAG, FRAME, frame, headerBlock, PREFACE } from '../support/http2-frames.ts';
import { statusesOf, WireClient } from '../support/wire-client.ts';

const STREAMS = 20_000;
/** What nghttp2 lets pass at once, with room for what is under way. */
const MOST = 1_500;
const END = FLAG.endHeaders | FLAG.endStream;
const GET = headerBlock([
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/a'],
  [':authority', 'localhost'],
]);
const POST = headerBlock([
  [':method', 'POST'],
  [':scheme', 'https'],
  [':path', '/a'],
  [':authority', 'localhost'],
  ['content-length', '1'],
]);
const number = (value: number) => Buffer.from([value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff]);

const FLOODS: readonly (readonly [what: string, stream: (id: number) => Buffer[]])[] = [
  ['reset by the client', (id) => [frame(FRAME.headers, END, id, GET), frame(FRAME.rstStream, 0, id, number(8))]],
  ['a window of nothing', (id) => [frame(FRAME.headers, END, id, GET), frame(FRAME.windowUpdate, 0, id, number(0))]],
  [
    'a window that is too large',
    (id) => [frame(FRAME.headers, END, id, GET), frame(FRAME.windowUpdate, 0, id, number(0x7fff_ffff))],
  ],
  ['a body after the end', (id) => [frame(FRAME.headers, END, id, GET), frame(FRAME.data, 0, id, 'x')]],
  ['a head after the end', (id) => [frame(FRAME.headers, END, id, GET), frame(FRAME.headers, END, id, GET)]],
  [
    'a body that is longer than it says',
    (id) => [frame(FRAME.headers, FLAG.endHeaders, id, POST), frame(FRAME.data, 0, id, 'xxx')],
  ],
  [
    'a trailer that is none',
    (id) => [frame(FRAME.headers, FLAG.endHeaders, id, POST), frame(FRAME.headers, END, id, GET)],
  ],
];

describe('streams that end before their answer', () => {
  it.each(FLOODS)('end the connection: %s', async (_what, stream) => {
    let begun = 0;
    let underway = 0;
    await using door = await openDoor({}, async ({ head }) => {
      begun += 1;
      underway += 1;
      if (!head.signal.aborted) await once(head.signal, 'abort');
      underway -= 1;
    });
    const client = await WireClient.open({ port: door.port, alpn: 'h2' });
    const frames = Array.from({ length: STREAMS }, (_, at) => stream(2 * at + 1)).flat();
    client.send(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0), ...frames]));
    await client.untilClosed();
    expect(begun).toBeLessThan(MOST);
    await expect.poll(() => underway).toBe(0);
  });

  it('end nothing while they are few', async () => {
    await using door = await openDoor();
    const client = await WireClient.open({ port: door.port, alpn: 'h2' });
    const frames = Array.from({ length: 200 }, (_, at) => FLOODS[0]?.[1](2 * at + 1) ?? []).flat();
    client.send(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0), ...frames]));
    client.send(frame(FRAME.headers, END, 401, GET));
    await client.until((bytes) => bytes.includes('saw GET /a'));
    expect(client.socket.closed).toBe(false);
    client.end();
  });
});

describe('handshakes without end on one connection', () => {
  it('end it, and no other', async () => {
    await using door = await openDoor();
    const beside = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    const socket = connectTls({
      host: '127.0.0.1',
      port: door.port,
      maxVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: false,
    });
    socket.on('error', () => {}).resume();
    await once(socket, 'secureConnect');
    const closed = once(socket, 'close');
    let done = 0;
    const again = (error?: Error | null): void => {
      if (error) return;
      done += 1;
      if (!socket.destroyed) socket.renegotiate({ rejectUnauthorized: false }, again);
    };
    again();
    await closed;
    expect(done).toBeLessThan(10);
    beside.send('GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(statusesOf(await beside.untilClosed())).toEqual([200]);
  });
});
