import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  answering,
  eventsOf,
  FakeClient,
  FOO,
  JSON_ACCEPT,
  POD,
  PROTOBUF,
  quietLog,
} from '../../test/support/fake-client.ts';
import { decodeObject } from '../codec/protobuf/codec.ts';
import { ApiError } from '../errors.ts';
import type { Accept, Reply, SharedObject } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import { writeError, writeReply } from './write.ts';

function object(body: JsonObject, headers: Reply['headers'] = {}): Reply {
  return { kind: 'object', status: 200, object: body, headers };
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
      'x-location': 'https://upstream',
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

  it('are negotiated as errors when they come as objects', async () => {
    const client = new FakeClient();
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 };
    const table: Accept = { media: 'yaml', as: { kind: 'Table', group: 'meta.k8s.io', version: 'v1' } };
    await writeReply(client, { kind: 'object', status: 404, object: status }, answering({ accept: table }));
    expect([client.status, client.headers['content-type']]).toEqual([404, 'application/json']);
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
    expect(client.chunks.length).toBe(16);
    expect(client.body.equals(bytes)).toBe(true);
  });

  it('get the rest when they come back', async () => {
    const client = new FakeClient();
    client.slow = true;
    client.on('written', () => setImmediate(() => client.emit('drain')));
    client.on('ended', () => setImmediate(() => client.emit('finish')));
    const events = eventsOf({ type: 'ADDED', object: POD }, { type: 'DELETED', object: POD });
    await writeReply(client, { kind: 'watch', events }, answering({ stallMs: 60_000 }));
    expect(client.body.toString().split('\n')).toHaveLength(3);
    expect(client.writableEnded).toBe(true);
  });
});

function sharedObject(read: () => JsonObject): SharedObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    json: Buffer.from(JSON.stringify(read())),
    get object() {
      return read();
    },
    forms: new Map(),
  };
}

describe('what is printed already', () => {
  const json = [
    Buffer.from('{"kind":"Pod",'),
    { text: Buffer.from('"apiVersion":"v1"}'), forms: new Map(), items: [] },
  ];
  const object = () => ({ kind: 'Pod', apiVersion: 'v1' });
  const printed: Reply = { kind: 'printed', status: 200, json, object, shared: sharedObject(object) };

  it('goes out as it is', async () => {
    const client = new FakeClient();
    await writeReply(client, printed, answering());
    expect(client.body.toString()).toBe('{"kind":"Pod","apiVersion":"v1"}\n');
    expect(client.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': 33 });
  });

  it('is compressed for who takes it, when it is large, and tells its length', async () => {
    const large = [
      Buffer.from('['),
      { text: Buffer.from(`"${'x'.repeat(200_000)}"`), forms: new Map(), items: [] },
      Buffer.from(']'),
    ];
    const reply: Reply = { ...printed, json: large };
    const [zipped, plain, head] = [new FakeClient(), new FakeClient(), new FakeClient()];
    expect(await writeReply(zipped, reply, answering({ acceptEncoding: 'gzip' }))).toEqual({
      status: 200,
      bodyBytes: zipped.body.length,
      madeBytes: 200_005,
    });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': zipped.body.length });
    expect(zipped.body.length).toBeLessThan(10_000);
    expect(await writeReply(plain, reply, answering())).toEqual({ status: 200, bodyBytes: 200_005 });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(zipped.body)).toEqual(plain.body);
    expect(await writeReply(head, reply, answering({ acceptEncoding: 'gzip', method: 'HEAD' }))).toEqual({
      status: 200,
      bodyBytes: 0,
      madeBytes: 200_005,
    });
    expect([head.body.length, head.headers['content-length']]).toEqual([0, 200_005]);
  });

  it('is put into any other form from the object', async () => {
    const yaml = new FakeClient();
    await writeReply(yaml, printed, answering({ accept: { media: 'yaml', as: undefined } }));
    expect(yaml.body.toString()).toMatch(/^(kind: Pod|apiVersion: v1)\n/);
    const protobuf = new FakeClient();
    await writeReply(protobuf, printed, answering({ accept: PROTOBUF }));
    expect(protobuf.body.subarray(0, 3).toString()).toBe('k8s');
    const pretty = new FakeClient();
    await writeReply(pretty, printed, answering({ accept: { media: 'json', as: undefined, pretty: true } }));
    expect(pretty.body.toString()).toContain('\n  "kind"');
  });
});
