/**
 * HTTP/2 as an attacker writes it: frames by hand. Every odd request ends in a refusal, a reset stream or a closed
 * connection, and never at the handler; honest clients beside it are served.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import { type Door, openDoor } from '../support/door.ts';
import { FLAG, FRAME, type Frame, frame, framesOf, headerBlock, PREFACE } from '../support/http2-frames.ts';
import { WireClient } from '../support/wire-client.ts';

type Headers = readonly (readonly [name: string, value: string])[];
const REQUEST: Headers = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/a'],
  [':authority', 'localhost'],
];

let door: Door;
beforeAll(async () => {
  door = await openDoor({ concurrentStreams: 20 });
});
afterAll(() => door[Symbol.asyncDispose]());
beforeEach(() => {
  door.seen.length = 0;
});

function honest(options: { readonly certificate?: boolean } = {}): ClientHttp2Session {
  return connect(`https://127.0.0.1:${door.port}`, {
    rejectUnauthorized: false,
    ...(options.certificate ? { cert: door.client.certPem, key: door.client.keyPem } : {}),
  });
}

async function request(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body = '',
): Promise<[number, string]> {
  const stream = session.request(headers, { endStream: false });
  stream.end(body);
  let status = 0;
  stream.once('response', (answer) => {
    status = answer[':status'] ?? 0;
  });
  let text = '';
  for await (const chunk of stream) text += chunk;
  return [status, text];
}

/** Sends frames after a proper start, and waits until the server has answered, reset or hung up. */
async function raw(...frames: Uint8Array[]): Promise<Frame[]> {
  const client = await WireClient.open({ port: door.port, alpn: 'h2' });
  client.send(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0), ...frames]));
  const ends = new Set([FRAME.rstStream, FRAME.goAway, FRAME.headers]);
  const received = await client.until((bytes) => framesOf(bytes).some(({ type }) => ends.has(type)));
  client.end();
  return framesOf(received);
}

describe('requests that are in order', () => {
  it('serves a request, with the certificate of its connection', async () => {
    const session = honest({ certificate: true });
    const [status, text] = await request(
      session,
      { ':path': '/a', ':method': 'POST', authorization: 'Bearer t' },
      'hello',
    );
    session.close();
    expect([status, text]).toEqual([200, 'saw POST /a\n']);
    expect(door.seen[0]?.body).toBe('hello');
    expect(door.seen[0]?.head.peerCertificate?.length).toBeGreaterThan(100);
    expect(door.seen[0]?.head.headers.get('authorization')).toBe('Bearer t');
  });

  it('serves a connection without a certificate', async () => {
    const session = honest();
    expect((await request(session, { ':path': '/a' }))[0]).toBe(200);
    session.close();
    expect(door.seen[0]?.head.peerCertificate).toBeUndefined();
  });

  it('serves many requests on one connection', async () => {
    const session = honest();
    const answers = await Promise.all(Array.from({ length: 15 }, (_, at) => request(session, { ':path': `/${at}` })));
    session.close();
    expect(answers.map(([, text]) => text)).toEqual(Array.from({ length: 15 }, (_, at) => `saw GET /${at}\n`));
  });

  it('serves frames written by hand', async () => {
    const frames = await raw(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, headerBlock(REQUEST)));
    expect(frames.some(({ type, streamId }) => type === FRAME.headers && streamId === 1)).toBe(true);
    expect(door.seen).toMatchObject([{ head: { method: 'GET', target: '/a' } }]);
  });

  it('answers 100-continue', async () => {
    const session = honest();
    const stream = session.request({ ':path': '/a', ':method': 'POST', expect: '100-continue' }, { endStream: false });
    await new Promise((resolve) => stream.once('continue', resolve));
    stream.end('hi');
    stream.resume();
    await new Promise((resolve) => stream.once('end', resolve));
    session.close();
    expect(door.seen[0]?.body).toBe('hi');
  });
});

describe('requests that a Status answers', () => {
  const refused: [name: string, headers: Record<string, string>, status: number][] = [
    ['a method in lower case', { ':method': 'get' }, 405],
    ['TRACE', { ':method': 'TRACE' }, 405],
    ['a method of nobody', { ':method': 'FOO' }, 405],
    ['OPTIONS *', { ':method': 'OPTIONS', ':path': '*' }, 400],
    ['an expectation that nobody knows', { expect: 'the-unexpected' }, 400],
  ];
  it.each(refused)('%s', async (_name, headers, status) => {
    const session = honest();
    const [answered, text] = await request(session, { ':path': '/a', ...headers });
    session.close();
    expect(answered).toBe(status);
    expect(JSON.parse(text)).toMatchObject({ kind: 'Status', code: status });
    expect(door.seen).toEqual([]);
  });

  it('CONNECT', async () => {
    const session = honest();
    const stream = session.request({ ':method': 'CONNECT', ':authority': 'globex:443' });
    const status = await new Promise((resolve) => stream.once('response', (answer) => resolve(answer[':status'])));
    session.destroy();
    expect(status).toBe(405);
    expect(door.seen).toEqual([]);
  });

  it('two credentials', async () => {
    const headers: Headers = [...REQUEST, ['authorization', 'Bearer a'], ['authorization', 'Bearer b']];
    const frames = await raw(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, headerBlock(headers)));
    expect(frames.some(({ type }) => type === FRAME.headers || type === FRAME.rstStream)).toBe(true);
    expect(door.seen).toEqual([]);
  });

  it('a body over the limit, which is not read on', async () => {
    const session = honest();
    const stream = session.request({ ':path': '/a', ':method': 'POST' }, { endStream: false });
    stream.on('error', () => {});
    stream.write(Buffer.alloc(256 * 1024));
    const status = await new Promise((resolve) => stream.once('response', (answer) => resolve(answer[':status'])));
    expect(status).toBe(413);
    session.destroy();
    expect(door.seen).toEqual([]);
  });
});

describe('requests that are no requests', () => {
  const bad: [name: string, headers: Headers][] = [
    ['an upper-case name', [...REQUEST, ['X-Upper', 'a']]],
    ['a connection header', [...REQUEST, ['connection', 'keep-alive']]],
    ['a transfer coding', [...REQUEST, ['transfer-encoding', 'chunked']]],
    ['an upgrade', [...REQUEST, ['upgrade', 'websocket']]],
    ['te other than trailers', [...REQUEST, ['te', 'chunked']]],
    ['two paths', [...REQUEST, [':path', '/b']]],
    ['no path', REQUEST.filter(([name]) => name !== ':path')],
    ['no method', REQUEST.filter(([name]) => name !== ':method')],
    ['an unknown pseudo-header', [[':smuggle', 'a'], ...REQUEST]],
    ['a pseudo-header after the others', [['x-a', 'b'], ...REQUEST]],
    ['a path that is no path', [...REQUEST.filter(([name]) => name !== ':path'), [':path', 'https://globex/a']]],
    ['an empty path', [...REQUEST.filter(([name]) => name !== ':path'), [':path', '']]],
    ['two lengths', [...REQUEST, ['content-length', '1'], ['content-length', '2']]],
    ['a length with a sign', [...REQUEST, ['content-length', '+1']]],
    ['a length with no body', [...REQUEST, ['content-length', '5']]],
  ];
  it.each(bad)('%s', async (_name, headers) => {
    const frames = await raw(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, headerBlock(headers)));
    expect(frames.some(({ type }) => type === FRAME.rstStream || type === FRAME.goAway || type === FRAME.headers)).toBe(
      true,
    );
    expect(door.seen).toEqual([]);
  });

  // The HTTP/2 library drops a field that is not well formed, and only that; what is left is a request without it.
  const dropped: [name: string, field: readonly [string, string]][] = [
    ['a line break in a value', ['accept', 'b\r\nauthorization: Bearer c']],
    ['a NUL in a value', ['authorization', 'Bearer b\0c']],
    ['a colon in a name', ['authorization:', 'Bearer c']],
    ['a space in a name', ['authorization ', 'Bearer c']],
    ['an empty name', ['', 'Bearer c']],
  ];
  it.each(dropped)('%s: never read as a header', async (_name, field) => {
    await raw(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, headerBlock([...REQUEST, field])));
    expect(door.seen.flatMap(({ head }) => [...head.headers])).toEqual([]);
  });

  it('a body that is longer than its length', async () => {
    const headers: Headers = [[':method', 'POST'], ...REQUEST.slice(1), ['content-length', '2']];
    await raw(
      frame(FRAME.headers, FLAG.endHeaders, 1, headerBlock(headers)),
      frame(FRAME.data, FLAG.endStream, 1, 'GET /smuggled HTTP/1.1\r\n\r\n'),
    );
    expect(door.seen).toEqual([]);
  });
});

describe('callers without a credential', () => {
  it('are told to go after each answer', async () => {
    await using strict = await openDoor({}, async () => {
      throw new ApiError('ERR_UNAUTHORIZED', 'Unauthorized');
    });
    const session = connect(`https://127.0.0.1:${strict.port}`, { rejectUnauthorized: false });
    const away = new Promise((resolve) => session.once('goaway', resolve));
    expect((await request(session, { ':path': '/a' }))[0]).toBe(401);
    expect(await away).toBe(constants.NGHTTP2_NO_ERROR);
    await new Promise((resolve) => session.once('close', resolve));
  });
});

describe('floods', () => {
  async function hangsUp(...frames: Uint8Array[]): Promise<void> {
    const client = await WireClient.open({ port: door.port, alpn: 'h2' });
    client.send(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0), ...frames]));
    await client.untilClosed();
  }

  it('hangs up on a header block without end', async () => {
    const block = headerBlock(REQUEST);
    const more = headerBlock(Array.from({ length: 100 }, (_, at) => [`x-${at}`, 'a'.repeat(100)] as const));
    const flood = Array.from({ length: 1_000 }, () => frame(FRAME.continuation, 0, 1, more));
    await hangsUp(frame(FRAME.headers, FLAG.endStream, 1, block), ...flood);
    expect(door.seen).toEqual([]);
  });

  it('hangs up on streams that are opened and reset', async () => {
    const frames: Uint8Array[] = [];
    for (let stream = 1; stream < 20_000; stream += 2) {
      frames.push(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, stream, headerBlock(REQUEST)));
      frames.push(frame(FRAME.rstStream, 0, stream, Buffer.from([0, 0, 0, 8])));
    }
    await hangsUp(...frames);
  });

  it('hangs up on pings and settings that nobody reads the answers of', async () => {
    const client = await WireClient.open({ port: door.port, alpn: 'h2' });
    client.socket.pause();
    const ping = frame(FRAME.ping, 0, 0, Buffer.alloc(8));
    client.send(
      Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0), ...new Array<Buffer>(200_000).fill(ping)]),
    );
    client.send(Buffer.concat(new Array<Buffer>(200_000).fill(frame(FRAME.settings, 0, 0))));
    client.socket.resume();
    await client.untilClosed();
  });

  it('refuses more streams at once than it says it takes', async () => {
    const frames: Uint8Array[] = [];
    const post: Headers = [[':method', 'POST'], ...REQUEST.slice(1)];
    for (let stream = 1; stream < 100; stream += 2) {
      frames.push(frame(FRAME.headers, FLAG.endHeaders, stream, headerBlock(post)));
    }
    const answer = await raw(...frames);
    const ends = answer.filter(({ type }) => type === FRAME.rstStream || type === FRAME.goAway);
    expect(ends.length).toBeGreaterThan(0);
    expect(ends[0]?.payload.readUInt32BE(ends[0].type === FRAME.goAway ? 4 : 0)).not.toBe(constants.NGHTTP2_NO_ERROR);
  });

  it('serves others meanwhile and after', async () => {
    const session = honest();
    expect((await request(session, { ':path': '/a' }))[0]).toBe(200);
    session.close();
  });
});
