import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeObject } from '../codec/protobuf/codec.ts';
import { decodeWatchEvent, FrameReader } from '../codec/protobuf/frames.ts';
import { ApiError } from '../errors.ts';
import type { Accept, Reply } from '../exchange.ts';
import type { JsonObject, WatchEvent } from '../k8s/types.ts';
import type { Logger } from '../observe/log.ts';
import type { Sink } from './sink.ts';
import { type Answering, writeError, writeReply } from './write.ts';

/** A client that takes what it gets, at once or when it is told to. */
class FakeClient extends EventEmitter implements Sink {
  status = 0;
  headers: OutgoingHttpHeaders = {};
  headersSent = false;
  writableEnded = false;
  destroyed = false;
  flushed = false;
  slow = false;
  readonly chunks: Buffer[] = [];

  writeHead(status: number, headers: OutgoingHttpHeaders): void {
    this.status = status;
    this.headers = headers;
    this.headersSent = true;
  }
  flushHeaders(): void {
    this.flushed = true;
  }
  write(chunk: Uint8Array | string): boolean {
    this.chunks.push(Buffer.from(chunk as string));
    this.emit('written');
    return !this.slow;
  }
  end(chunk?: Uint8Array | string): void {
    if (chunk !== undefined) this.write(chunk);
    this.writableEnded = true;
    if (!this.slow) setImmediate(() => this.emit('finish'));
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
  get body(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

const JSON_ACCEPT: Accept = { media: 'json', as: undefined };
const PROTOBUF: Accept = { media: 'protobuf', as: undefined };
const POD = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } };
const FOO = { kind: 'Foo', apiVersion: 'stable.example.com/v1', metadata: { name: 'a' } };

function quietLog(): Logger & { errors: unknown[] } {
  const errors: unknown[] = [];
  const none = (): void => {};
  return {
    errors,
    error: (entry: unknown) => errors.push(entry),
    warn: none,
    info: none,
    debug: none,
    isLevelEnabled: () => false,
  } as never;
}

function answering(part: Partial<Answering> = {}): Answering {
  return {
    id: 'the-id',
    method: 'GET',
    accept: JSON_ACCEPT,
    acceptError: JSON_ACCEPT,
    acceptEncoding: undefined,
    signal: new AbortController().signal,
    log: quietLog(),
    ...part,
  };
}

function object(body: JsonObject, headers: Reply['headers'] = {}): Reply {
  return { kind: 'object', status: 200, object: body, headers };
}

async function* eventsOf(...events: WatchEvent[]): AsyncGenerator<WatchEvent> {
  yield* events;
}

describe('objects', () => {
  it('are JSON with the headers of kube-apiserver', async () => {
    const client = new FakeClient();
    expect(await writeReply(client, object(POD), answering())).toEqual({ status: 200, bodyBytes: 57 });
    expect(client.body.toString()).toBe(`${JSON.stringify(POD)}\n`);
    expect(client.headers).toEqual({
      'audit-id': 'the-id',
      'cache-control': 'no-cache, private',
      'content-type': 'application/json',
      'content-length': 57,
    });
    expect(client.writableEnded).toBe(true);
  });

  it.each([
    [{ ...JSON_ACCEPT, pretty: true }, 'application/json', JSON.stringify(POD, null, 2)],
    [
      { media: 'yaml', as: undefined } as Accept,
      'application/yaml',
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n',
    ],
  ])('as %j', async (accept, type, body) => {
    const client = new FakeClient();
    await writeReply(client, object(POD), answering({ accept }));
    expect(client.headers['content-type']).toBe(type);
    expect(client.body.toString()).toBe(body);
  });

  it('are protobuf where the kind has such a form', async () => {
    const client = new FakeClient();
    await writeReply(client, object(POD), answering({ accept: PROTOBUF }));
    expect(client.headers['content-type']).toBe('application/vnd.kubernetes.protobuf');
    expect(decodeObject(client.body).object).toMatchObject(POD);
  });

  it('are the client’s next choice where it has none, or 406', async () => {
    const client = new FakeClient();
    await writeReply(client, object(FOO), answering({ accept: { ...PROTOBUF, otherwise: JSON_ACCEPT } }));
    expect(client.headers['content-type']).toBe('application/json');
    const strict = new FakeClient();
    await writeReply(strict, object(FOO), answering({ accept: PROTOBUF, acceptError: PROTOBUF }));
    expect(strict.status).toBe(406);
    expect(decodeObject(strict.body).object).toMatchObject({ kind: 'Status', reason: 'NotAcceptable' });
  });

  it('name the shape of aggregated discovery in their type', async () => {
    const accept: Accept = {
      media: 'json',
      as: { kind: 'APIGroupDiscoveryList', group: 'apidiscovery.k8s.io', version: 'v2' },
    };
    const client = new FakeClient();
    await writeReply(client, object({ kind: 'APIGroupDiscoveryList' }), answering({ accept }));
    expect(client.headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  });

  it('are packed only when large and when asked', async () => {
    const large = { kind: 'X', data: 'a'.repeat(200_000) };
    const packed = new FakeClient();
    await writeReply(packed, object(large), answering({ acceptEncoding: 'deflate, gzip;q=0, gzip' }));
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'content-length': packed.body.length,
    });
    expect(JSON.parse(gunzipSync(packed.body).toString())).toEqual(large);
    for (const [body, acceptEncoding] of [
      [large, undefined],
      [large, 'br'],
      [POD, 'gzip'],
    ] as const) {
      const plain = new FakeClient();
      await writeReply(plain, object(body), answering({ acceptEncoding }));
      expect(plain.headers['content-encoding']).toBeUndefined();
    }
  });

  it('have no body for HEAD', async () => {
    const client = new FakeClient();
    await writeReply(client, object(POD), answering({ method: 'HEAD' }));
    expect(client.headers['content-length']).toBe(57);
    expect(client.body.length).toBe(0);
    expect(client.writableEnded).toBe(true);
  });

  it('carry only headers from the list, and no value that could end a line', async () => {
    const client = new FakeClient();
    const headers = {
      warning: ['299 - "a"', '299 - "b"'],
      etag: '"x"',
      'set-cookie': 'a=b',
      location: 'https://upstream',
      'x-kubernetes-pf-flowschema-uid': 'x',
      'retry-after': '1\r\nset-cookie: a',
    };
    await writeReply(client, object(POD, headers), answering());
    expect(Object.keys(client.headers).sort()).toEqual([
      'audit-id',
      'cache-control',
      'content-length',
      'content-type',
      'etag',
      'warning',
    ]);
    expect(client.headers['warning']).toEqual(['299 - "a"', '299 - "b"']);
  });
});

describe('bytes', () => {
  it('go out as they are, and 304 without any', async () => {
    const client = new FakeClient();
    const reply: Reply = { kind: 'bytes', status: 200, contentType: 'text/plain', bytes: Buffer.from('ok') };
    await writeReply(client, reply, answering());
    expect([client.headers['content-type'], client.body.toString()]).toEqual(['text/plain', 'ok']);
    const cached = new FakeClient();
    await writeReply(cached, { ...reply, status: 304 }, answering());
    expect(cached.headers).toEqual({ 'audit-id': 'the-id', 'cache-control': 'no-cache, private' });
    expect(cached.body.length).toBe(0);
  });
});

describe('refusals', () => {
  it('are a Status, with Retry-After where it says so', async () => {
    const client = new FakeClient();
    const error = new ApiError('ERR_TOO_MANY_REQUESTS', 'too many', {
      details: { retryAfterSeconds: 1 },
      cause: new Error('inner'),
    });
    await writeError(client, error, answering());
    expect(client.status).toBe(429);
    expect(client.headers['retry-after']).toBe('1');
    expect(JSON.parse(client.body.toString())).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'too many',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 1 },
      code: 429,
    });
  });

  it('tell nothing of a fault of our own but where the log has it', async () => {
    const client = new FakeClient();
    const log = quietLog();
    await writeError(client, new TypeError('acme--web at 10.0.0.1'), answering({ log }));
    expect(client.status).toBe(500);
    expect(client.body.toString()).toContain('Audit-ID the-id');
    expect(client.body.toString()).not.toContain('acme--web');
    expect(log.errors).toHaveLength(1);
  });

  it('speak YAML and protobuf to those who ask for it', async () => {
    const yaml = new FakeClient();
    const error = new ApiError('ERR_NOT_FOUND', 'pods "a" not found');
    await writeError(yaml, error, answering({ acceptError: { media: 'yaml', as: undefined } }));
    expect(yaml.body.toString()).toContain('reason: NotFound\n');
    const protobuf = new FakeClient();
    await writeError(protobuf, error, answering({ acceptError: PROTOBUF }));
    expect(decodeObject(protobuf.body).object).toMatchObject({ kind: 'Status', code: 404 });
  });

  it('cut off an answer that has begun, and write nothing to a client that is gone', async () => {
    const begun = new FakeClient();
    begun.writeHead(200, {});
    await writeError(begun, new ApiError('ERR_TIMEOUT', 'late'), answering());
    expect([begun.destroyed, begun.body.length]).toEqual([true, 0]);
    const gone = new FakeClient();
    gone.destroy();
    await writeReply(gone, object(POD), answering());
    expect(gone.headersSent).toBe(false);
  });
});

describe('slow clients', () => {
  it('lose their connection when they take nothing', async () => {
    const client = new FakeClient();
    client.slow = true;
    await writeReply(client, object(POD), answering({ stallMs: 10 }));
    expect(client.destroyed).toBe(true);
    expect(client.listenerCount('drain')).toBe(0);
  });

  it('get a large answer piece by piece', async () => {
    const client = new FakeClient();
    client.slow = true;
    client.on('written', () => setImmediate(() => client.emit(client.writableEnded ? 'finish' : 'drain')));
    const bytes = Buffer.alloc(1_000_000, 'abc');
    const reply: Reply = { kind: 'bytes', status: 200, contentType: 'text/plain', bytes };
    await writeReply(client, reply, answering({ stallMs: 60_000 }));
    expect(client.chunks.length).toBe(4);
    expect(client.body.equals(bytes)).toBe(true);
  });

  it('get the rest when they come back', async () => {
    const client = new FakeClient();
    client.slow = true;
    client.on('written', () => setImmediate(() => client.emit('drain')));
    const events = eventsOf({ type: 'ADDED', object: POD }, { type: 'DELETED', object: POD });
    await writeReply(client, { kind: 'watch', events }, answering({ stallMs: 60_000 }));
    expect(client.body.toString().split('\n')).toHaveLength(3);
    expect(client.writableEnded).toBe(true);
  });
});

describe('watches', () => {
  const added: WatchEvent = { type: 'ADDED', object: POD };

  it('send their headers at once and an event a line', async () => {
    const client = new FakeClient();
    const next = Promise.withResolvers<void>();
    async function* events(): AsyncGenerator<WatchEvent> {
      await next.promise;
      yield added;
    }
    const done = writeReply(client, { kind: 'watch', events: events() }, answering());
    expect([client.status, client.headers['content-type'], client.flushed]).toEqual([200, 'application/json', true]);
    expect(client.headers['content-length']).toBeUndefined();
    next.resolve();
    await done;
    expect(client.body.toString()).toBe(`{"type":"ADDED","object":${JSON.stringify(POD)}}\n`);
    expect(client.writableEnded).toBe(true);
  });

  it('end with an ERROR event when upstream fails, without the inner words', async () => {
    const client = new FakeClient();
    async function* events(): AsyncGenerator<WatchEvent> {
      yield added;
      throw new TypeError('acme--web');
    }
    await writeReply(client, { kind: 'watch', events: events() }, answering());
    const [, last] = client.body.toString().trim().split('\n');
    expect(JSON.parse(last ?? '')).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 500 } });
    expect(client.body.toString()).not.toContain('acme--web');
    expect(client.writableEnded).toBe(true);
  });

  it.each(['signal', 'until'] as const)('stop when %s fires, and let go of upstream', async (which) => {
    const client = new FakeClient();
    const stop = new AbortController();
    const returned = Promise.withResolvers<void>();
    const events: AsyncIterable<WatchEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          returned.resolve();
          return { done: true, value: undefined };
        },
      }),
    };
    const done = writeReply(client, { kind: 'watch', events }, answering({ [which]: stop.signal }));
    stop.abort();
    await Promise.all([done, returned.promise]);
    expect(client.writableEnded).toBe(true);
  });

  it('let go of upstream when they cannot begin', async () => {
    const client = new FakeClient();
    let returned = false;
    const events: AsyncIterable<WatchEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          returned = true;
          return { done: true, value: undefined };
        },
      }),
    };
    await writeReply(client, { kind: 'watch', events }, answering({ accept: PROTOBUF }));
    expect([client.status, returned]).toEqual([406, true]);
  });

  it('are frames of protobuf for a kind that has it, else the next choice', async () => {
    const client = new FakeClient();
    const gvk = { group: '', version: 'v1', kind: 'Pod' };
    await writeReply(client, { kind: 'watch', events: eventsOf(added), gvk }, answering({ accept: PROTOBUF }));
    expect(client.headers['content-type']).toBe('application/vnd.kubernetes.protobuf;stream=watch');
    const [frame] = new FrameReader().push(client.body);
    expect(decodeWatchEvent(frame ?? Buffer.alloc(0))).toMatchObject({ type: 'ADDED', decoded: { object: POD } });
    const other = new FakeClient();
    const accept = { ...PROTOBUF, otherwise: JSON_ACCEPT };
    const fooGvk = { group: 'stable.example.com', version: 'v1', kind: 'Foo' };
    await writeReply(
      other,
      { kind: 'watch', events: eventsOf({ type: 'ADDED', object: FOO }), gvk: fooGvk },
      answering({ accept }),
    );
    expect(other.headers['content-type']).toBe('application/json');
  });

  it('end with an ERROR event at an object that has no protobuf form', async () => {
    const client = new FakeClient();
    const gvk = { group: '', version: 'v1', kind: 'Pod' };
    const events = eventsOf({ type: 'ADDED', object: { ...POD, notAField: 1 } }, added);
    await writeReply(client, { kind: 'watch', events, gvk }, answering({ accept: PROTOBUF }));
    const frames = [...new FrameReader().push(client.body)];
    expect(frames).toHaveLength(1);
    expect(decodeWatchEvent(frames[0] ?? Buffer.alloc(0))).toMatchObject({ type: 'ERROR' });
  });
});
