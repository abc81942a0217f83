import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, type OutgoingHttpHeaders } from 'node:http2';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type Door, openDoor } from '../../test/support/door.ts';
import { renderError } from '../respond/status.ts';
import { createForwarder } from './forward.ts';

interface Seen {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A door that passes everything on to an API server that answers as the test says, and tells what it saw. */
async function passing(answer: Answer, own?: string) {
  const seen: Seen[] = [];
  const connections = { count: 0 };
  const forwarder = { current: undefined as ReturnType<typeof createForwarder> | undefined };
  const door = await openDoor({}, async ({ body, response }) => {
    try {
      await forwarder.current?.forward(body as IncomingMessage, response as ServerResponse);
    } catch (error) {
      const { status, headers, body: refusal } = renderError(error, 'id');
      (response as ServerResponse).writeHead(status, headers).end(refusal);
    }
  });
  stack.use(door);
  const server = createServer({ cert: door.tls.cert, key: door.tls.key }, async (request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body: await text(request) });
    answer(request, response);
  });
  server.on('connection', () => (connections.count += 1));
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  stack.defer(stop);
  const { port } = server.address() as AddressInfo;
  const authorization = async (): Promise<string | undefined> => own;
  // The certificate is its own authority, as far as the test is concerned.
  forwarder.current = createForwarder({ server: `https://localhost:${port}`, caPem: door.authorityPem, authorization });
  stack.use(forwarder.current);
  return { door, seen, connections, stop };
}

const ok: Answer = (_request, response) => {
  response.setHeader('audit-id', 'of-upstream').end('{"kind":"Status"}');
};

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

interface Got {
  readonly status: number;
  readonly body: string;
  readonly auditId?: unknown;
}

async function overHttp1(door: Door, { method = 'GET', path = '/api', headers = {}, body }: Sent): Promise<Got> {
  // Node would send a body without saying where it ends.
  const framing = body === undefined || 'content-length' in headers ? {} : { 'transfer-encoding': 'chunked' };
  const request = httpsRequest({
    port: door.port,
    method,
    path,
    headers: { ...framing, ...headers } as never,
    rejectUnauthorized: false,
  });
  if (body !== undefined) request.write(body);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response), auditId: response.headers['audit-id'] };
}

async function overHttp2(door: Door, { method = 'GET', path = '/api', headers = {}, body }: Sent): Promise<Got> {
  const session: ClientHttp2Session = connectHttp2(`https://localhost:${door.port}`, { rejectUnauthorized: false });
  stack.defer(() => session.destroy());
  const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
  return { status: Number(answered[':status']), body: await text(stream), auditId: answered['audit-id'] };
}

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
] as const)('what is passed on over %s', (_name, ask) => {
  it('arrives as it was sent, and is answered as it was answered', async () => {
    const { door, seen } = await passing(ok);
    const path = '/api/v1/pods?fieldSelector=spec.nodeName%3Da&labelSelector=x%20in%20(a,b)&limit=5';
    const headers = { authorization: 'Bearer of-the-caller', accept: 'application/json' };
    expect(await ask(door, { path, headers })).toMatchObject({
      status: 200,
      body: '{"kind":"Status"}',
      auditId: 'of-upstream',
    });
    expect(seen).toMatchObject([{ line: `GET ${path}`, headers, body: '' }]);
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith(':') || name.startsWith('x-'))).toEqual(
      [],
    );
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    '%s is one request with its body, whether it says its length or not',
    async (method) => {
      const { door, seen } = await passing(ok);
      const body = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
      await ask(door, { method, body });
      await ask(door, { method, body, headers: { 'content-length': String(body.length) } });
      await ask(door, { path: '/after' });
      expect(seen.map(({ line }) => line)).toEqual([`${method} /api`, `${method} /api`, 'GET /after']);
      expect(seen.map((one) => one.body)).toEqual([body, body, '']);
    },
  );

  it('a DELETE without a body stays one', async () => {
    const { door, seen } = await passing(ok);
    expect(await ask(door, { method: 'DELETE' })).toMatchObject({ status: 200 });
    expect(seen).toMatchObject([{ line: 'DELETE /api', body: '' }]);
  });

  it('an answer that is cut off is cut off, and not taken for whole', async () => {
    const { door } = await passing((_request, response) => {
      response.write('{"kind":');
      setImmediate(() => response.destroy());
    });
    await expect(ask(door, {})).rejects.toThrow();
  });

  it('is 503, with when to try again, while there is no API server', async () => {
    const { door, stop } = await passing(ok);
    stop();
    const { status, body } = await ask(door, {});
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ kind: 'Status', code: 503, details: { retryAfterSeconds: 1 } });
  });

  it('has the credential of the proxy where that is what goes on', async () => {
    const { door, seen } = await passing(ok, 'Bearer of-the-node');
    await ask(door, {});
    expect(seen[0]?.headers.authorization).toBe('Bearer of-the-node');
  });

  it('goes over one connection, request after request', async () => {
    const { door, connections } = await passing(ok);
    for (const path of ['/a', '/b', '/c']) await ask(door, { path });
    expect(connections.count).toBe(1);
  });

  it('ends upstream when its client is gone', async () => {
    const gone = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { door } = await passing((_request, response) => {
      response.write('{}\n');
      response.once('close', gone.resolve);
      begun.resolve();
    });
    const session = connectHttp2(`https://localhost:${door.port}`, { rejectUnauthorized: false });
    session.request({ ':path': '/api?watch=1' }).on('error', () => {});
    await begun.promise;
    session.destroy();
    await gone.promise;
  });
});
