/**
 * HTTP/1.1 as an attacker writes it. Whatever two parsers could read in two ways is refused with a Status, the
 * connection ends, and the handler never learns of it: nothing that follows on the connection is taken for a request.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BODY_LIMIT_BYTES, type Door, openDoor } from '../support/door.ts';
import { lastBody, statusesOf, WireClient } from '../support/wire-client.ts';

const HEAD = 'Host: localhost\r\n';
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';

let door: Door;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door[Symbol.asyncDispose]());
beforeEach(() => {
  door.seen.length = 0;
});

async function exchange(bytes: string | Uint8Array): Promise<Buffer> {
  const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
  client.send(bytes);
  return await client.untilClosed();
}

function targets(): string[] {
  return door.seen.map(({ head }) => head.target);
}

describe('requests that are in order', () => {
  const good: [name: string, request: string, body: string][] = [
    ['a GET', `GET /a HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`, ''],
    ['a body by length', `POST /a HTTP/1.1\r\n${HEAD}Connection: close\r\nContent-Length: 5\r\n\r\nhello`, 'hello'],
    [
      'a body in chunks',
      `POST /a HTTP/1.1\r\n${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
      'hello',
    ],
    [
      'a DELETE with a chunked body',
      `DELETE /a HTTP/1.1\r\n${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      '{}',
    ],
    ['a GET with a body', `GET /a HTTP/1.1\r\n${HEAD}Connection: close\r\nContent-Length: 5\r\n\r\nhello`, 'hello'],
    ['an empty header value', `GET /a HTTP/1.1\r\n${HEAD}Connection: close\r\nX-Empty:\r\n\r\n`, ''],
  ];
  it.each(good)('serves %s', async (_name, request, body) => {
    const received = await exchange(request);
    expect(statusesOf(received)).toEqual([200]);
    expect(door.seen).toMatchObject([{ head: { target: '/a' }, body }]);
  });

  it('answers pipelined requests in their order', async () => {
    const one = `GET /1 HTTP/1.1\r\n${HEAD}\r\n`;
    const two = `GET /2 HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`;
    const received = await exchange(one + two);
    expect(received.toString().match(/saw GET \/\d/g)).toEqual(['saw GET /1', 'saw GET /2']);
  });

  it('takes a body for a body, even when it reads like a request', async () => {
    const request = `POST /a HTTP/1.1\r\n${HEAD}Connection: close\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`;
    expect(statusesOf(await exchange(request))).toEqual([200]);
    expect(targets()).toEqual(['/a']);
  });

  it('answers HEAD without a body', async () => {
    const received = await exchange(`HEAD /a HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
    expect(received.toString()).toMatch(/\r\n\r\n$/);
  });

  it('invites the body of a client that waits to be', async () => {
    const client = await WireClient.open({ port: door.port, alpn: 'http/1.1' });
    client.send(`POST /a HTTP/1.1\r\n${HEAD}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
    await client.until((received) => statusesOf(received).includes(100));
    client.send('hi');
    expect(statusesOf(await client.untilClosed())).toEqual([100, 200]);
  });
});

describe('requests with two readings', () => {
  const bad: [name: string, head: string, status?: number][] = [
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n'],
    ['an unknown transfer coding', 'Transfer-Encoding: xchunked\r\n'],
    ['chunks and then another coding', 'Transfer-Encoding: chunked, identity\r\n'],
    ['a transfer coding with a vertical tab', 'Transfer-Encoding:\x0bchunked\r\n'],
    ['two transfer codings', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['one length twice', 'Content-Length: 5\r\nContent-Length: 5\r\n'],
    ['a list of lengths', 'Content-Length: 5, 5\r\n'],
    ['a length with a sign', 'Content-Length: +5\r\n'],
    ['a negative length', 'Content-Length: -5\r\n'],
    ['a hexadecimal length', 'Content-Length: 0x5\r\n'],
    ['a length with a space in it', 'Content-Length: 5 5\r\n'],
    ['a space before the colon', 'Content-Length : 5\r\n'],
    ['a continued header line', 'X-A: b\r\n Content-Length: 5\r\n'],
    ['a header line ended by LF', 'X-A: b\nContent-Length: 5\r\n'],
    ['a CR inside a header', 'X-A: b\rContent-Length: 5\r\n'],
    ['a NUL in a header', 'X-A: b\0\r\n'],
    ['a header without a colon', 'X-A\r\n'],
    ['a header without a name', ': x\r\n'],
    ['two hosts', 'Host: globex\r\n'],
    ['two credentials', 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n'],
    ['one credential twice', 'Authorization: Bearer a\r\nAuthorization: Bearer a\r\n'],
    ['two content types', 'Content-Type: application/json\r\nContent-Type: application/yaml\r\n'],
    ['an expectation that nobody knows', 'Expect: the-unexpected\r\n'],
  ];
  it.each(bad)('refuses %s', async (_name, head) => {
    const received = await exchange(`POST /bad HTTP/1.1\r\n${HEAD}${head}\r\n0\r\n\r\n${SMUGGLED}`);
    expect(statusesOf(received)).toEqual([400]);
    expect(lastBody(received)).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'BadRequest', code: 400 });
    expect(door.seen).toEqual([]);
  });

  const lines: [line: string, status: number][] = [
    ['GET /a HTTP/1.1\n', 400],
    ['GET /a b HTTP/1.1\r\n', 400],
    ['GET /a HTTP/3.7\r\n', 400],
    ['GET /a\r\n', 400],
    ['get /a HTTP/1.1\r\n', 400],
    ['FOO /a HTTP/1.1\r\n', 400],
    ['GET https://globex.example.com/a HTTP/1.1\r\n', 400],
    ['GET globex.example.com:443 HTTP/1.1\r\n', 400],
    ['OPTIONS * HTTP/1.1\r\n', 400],
    ['TRACE /a HTTP/1.1\r\n', 405],
    ['PROPFIND /a HTTP/1.1\r\n', 405],
    ['CONNECT globex.example.com:443 HTTP/1.1\r\n', 405],
    ['PRI * HTTP/2.0\r\n', 400],
  ];
  it.each(lines)('refuses %j with %i', async (line, status) => {
    const received = await exchange(`${line}${HEAD}\r\n${SMUGGLED}`);
    expect(statusesOf(received)).toEqual([status]);
    expect(lastBody(received)).toMatchObject({ kind: 'Status', code: status });
    expect(door.seen).toEqual([]);
  });

  it('refuses a request without a host', async () => {
    const received = await exchange(`GET /a HTTP/1.1\r\n\r\n${SMUGGLED}`);
    expect(statusesOf(received)).toEqual([400]);
    expect(door.seen).toEqual([]);
  });

  const chunks: [name: string, body: string][] = [
    ['a chunk size that overflows', 'fffffffffffffffff\r\n'],
    ['a chunk size with a sign', '+5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk size with a prefix', '0x5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk longer than its size', '5\r\nhelloworld\r\n0\r\n\r\n'],
    ['a chunk line ended by LF', '5\nhello\r\n0\r\n\r\n'],
    ['a chunk extension ended by LF', '5;a\nhello\r\n0\r\n\r\n'],
    ['a last chunk ended by LF', '5\r\nhello\r\n0\n\n'],
  ];
  it.each(chunks)('refuses %s', async (_name, body) => {
    const received = await exchange(
      `POST /bad HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n${body}${SMUGGLED}`,
    );
    expect(statusesOf(received).filter((status) => status < 400)).toEqual([]);
    expect(targets()).toEqual([]);
  });
});

describe('upgrades', () => {
  it.each(['h2c', 'TLS/1.2'])('refuses %s and ends the connection', async (protocol) => {
    const received = await exchange(
      `GET /api/v1/namespaces/web/pods/a/exec HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n${SMUGGLED}`,
    );
    expect(statusesOf(received)).toEqual([400]);
    expect(lastBody(received)).toMatchObject({ kind: 'Status', message: expect.stringContaining('upgrade') });
    expect(door.seen).toEqual([]);
  });

  it.each(['websocket', 'SPDY/3.1'] as const)(
    'hands %s on, answers once, and reads nothing behind it as a request',
    async (protocol) => {
      const received = await exchange(
        `GET /a HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Key: k\r\n\r\n${SMUGGLED}`,
      );
      expect(statusesOf(received)).toEqual([200]);
      expect(received.toString()).toMatch(/\r\nconnection: close\r\n/i);
      expect(targets()).toEqual(['/a']);
      expect(door.seen[0]?.head.upgrade).toEqual({ protocol, headers: [['sec-websocket-key', 'k']] });
    },
  );

  it.each(['Content-Length: 4', 'Transfer-Encoding: chunked'])('refuses one with a body: %s', async (framing) => {
    const received = await exchange(
      `GET /a HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n${framing}\r\n\r\n${SMUGGLED}`,
    );
    expect(statusesOf(received)).toEqual([400]);
    expect(door.seen).toEqual([]);
  });
});

describe('headers', () => {
  it('passes on only what is on the list, and takes impersonation out', async () => {
    const names = [
      'Accept: application/json',
      'Accept: application/yaml',
      'Authorization: Bearer t',
      'User-Agent: test',
      'Impersonate-User: system:admin',
      'Impersonate-Group: a',
      'impersonate-group: b',
      'Impersonate-Extra-scopes: view',
      'X-Remote-User: system:admin',
      'X-Remote-Group: system:masters',
      'X-Forwarded-For: 10.0.0.1',
      'X-Forwarded-Client-Cert: x',
      'Forwarded: for=10.0.0.1',
      'X-HTTP-Method-Override: DELETE',
      'Cookie: a=b',
      'Origin: https://globex.example.com',
      'TE: trailers',
      'Audit-ID: mine',
      'Proxy-Authorization: Basic x',
    ];
    await exchange(`GET /a HTTP/1.1\r\n${HEAD}Connection: close\r\n${names.join('\r\n')}\r\n\r\n`);
    const head = door.seen[0]?.head;
    expect(Object.fromEntries(head?.headers ?? [])).toEqual({
      accept: 'application/json, application/yaml',
      authorization: 'Bearer t',
      'user-agent': 'test',
    });
    expect(Object.fromEntries(head?.impersonate ?? [])).toEqual({
      'impersonate-user': ['system:admin'],
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-scopes': ['view'],
    });
    expect(head?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(head?.peerCertificate).toBeUndefined();
  });
});

describe('sizes', () => {
  it.each([
    ['a long header', `X-Long: ${'a'.repeat(70_000)}\r\n`],
    ['many headers', Array.from({ length: 201 }, (_, at) => `X-${at}: a\r\n`).join('')],
  ])('refuses %s', async (_name, head) => {
    const received = await exchange(`GET /a HTTP/1.1\r\n${HEAD}${head}\r\n`);
    expect(statusesOf(received)).toEqual([431]);
    expect(lastBody(received)).toMatchObject({ kind: 'Status', code: 431 });
    expect(door.seen).toEqual([]);
  });

  it('takes headers up to the limits', async () => {
    const head = Array.from({ length: 150 }, (_, at) => `X-${at}: ${'a'.repeat(300)}\r\n`).join('');
    expect(statusesOf(await exchange(`GET /a HTTP/1.1\r\n${HEAD}Connection: close\r\n${head}\r\n`))).toEqual([200]);
  });

  it('refuses a body over the limit, ends the connection, and takes nothing of it for a request', async () => {
    const filler = SMUGGLED.repeat(Math.ceil((4 * BODY_LIMIT_BYTES) / SMUGGLED.length));
    const received = await exchange(`POST /a HTTP/1.1\r\n${HEAD}Content-Length: ${filler.length}\r\n\r\n${filler}`);
    expect(statusesOf(received)).toEqual([413]);
    expect(lastBody(received)).toMatchObject({ reason: 'RequestEntityTooLarge', code: 413 });
    expect(door.seen).toEqual([]);
  });

  it('takes a body of just the limit', async () => {
    const filler = 'a'.repeat(BODY_LIMIT_BYTES);
    const head = `POST /a HTTP/1.1\r\n${HEAD}Connection: close\r\nContent-Length: ${filler.length}\r\n\r\n`;
    expect(statusesOf(await exchange(head + filler))).toEqual([200]);
  });

  it('refuses a packed body', async () => {
    const received = await exchange(
      `POST /a HTTP/1.1\r\n${HEAD}Connection: close\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi`,
    );
    expect(statusesOf(received)).toEqual([415]);
  });
});
