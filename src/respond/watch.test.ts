import { describe, expect, it } from 'vitest';
import { answering, eventsOf, FakeClient, FOO, JSON_ACCEPT, POD, PROTOBUF } from '../../test/support/fake-client.ts';
import { decodeWatchEvent, FrameReader } from '../codec/protobuf/frames.ts';
import { ApiError } from '../errors.ts';
import type { SharedEvent, SharedObject } from '../exchange.ts';
import type { WatchEvent } from '../k8s/types.ts';
import { writeReply } from './write.ts';

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

  it('make an event that is shared once for all of them, in each form', async () => {
    let prints = 0;
    const of: SharedObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      json: Buffer.from(JSON.stringify(POD)),
      get object() {
        prints += 1;
        return structuredClone(POD);
      },
      forms: new Map(),
    };
    const shared: SharedEvent = { type: 'MODIFIED', of, object: {}, forms: new Map() };
    const gvk = { group: '', version: 'v1', kind: 'Pod' };
    const sent: Buffer[] = [];
    for (const accept of [JSON_ACCEPT, JSON_ACCEPT, PROTOBUF, PROTOBUF]) {
      const client = new FakeClient();
      await writeReply(client, { kind: 'watch', events: eventsOf(shared), gvk }, answering({ accept }));
      sent.push(client.body);
    }
    const line = `{"type":"MODIFIED","object":${JSON.stringify(POD)}}\n`;
    expect([sent[0]?.toString(), sent[1]?.toString()]).toEqual([line, line]);
    const [frame] = new FrameReader().push(sent[2] ?? Buffer.alloc(0));
    expect(decodeWatchEvent(frame ?? Buffer.alloc(0))).toMatchObject({ type: 'MODIFIED', decoded: { object: POD } });
    expect(sent[3]).toEqual(sent[2]);
    expect(prints).toBe(1);
    expect([...shared.forms.keys()]).toEqual(['json', 'protobuf']);
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

  describe('that somebody judges', () => {
    const refusal = new ApiError('ERR_UNAUTHORIZED', 'gone', { why: 'tenant-gone' });

    it('go on while they may', async () => {
      const client = new FakeClient();
      const held = { until: new AbortController().signal, mayGoOn: () => true };
      const written = await writeReply(client, { kind: 'watch', events: eventsOf(added, added) }, answering({ held }));
      expect(written).toEqual({ status: 200, bodyBytes: client.body.length });
      expect(client.body.toString().trim().split('\n')).toHaveLength(2);
    });

    it('end in good order when they must, and the audit learns why', async () => {
      const client = new FakeClient();
      const must = new AbortController();
      const held = { until: must.signal, mayGoOn: () => true };
      async function* events(): AsyncGenerator<WatchEvent> {
        yield added;
        must.abort(refusal);
        yield added;
      }
      const written = await writeReply(client, { kind: 'watch', events: events() }, answering({ held }));
      expect(written).toMatchObject({ status: 200, why: 'tenant-gone' });
      expect([client.writableEnded, client.destroyed]).toEqual([true, false]);
      expect(client.body.toString().trim().split('\n')).toHaveLength(1);
    });

    it('send nothing that is asked about and refused, also an event that was already there', async () => {
      const client = new FakeClient();
      let isThere = true;
      const must = new AbortController();
      const held = {
        until: must.signal,
        mayGoOn() {
          if (!isThere) must.abort(refusal);
          return isThere;
        },
      };
      async function* events(): AsyncGenerator<WatchEvent> {
        yield added;
        isThere = false;
        yield { type: 'ADDED', object: { ...POD, metadata: { name: 'of-another' } } };
      }
      const written = await writeReply(client, { kind: 'watch', events: events() }, answering({ held }));
      expect(client.body.toString()).toContain('"a"');
      expect(client.body.toString()).not.toContain('of-another');
      expect([written.why, client.writableEnded]).toEqual(['tenant-gone', true]);
    });

    it('end also when their client reads nothing', async () => {
      const client = new FakeClient();
      client.slow = true;
      const must = new AbortController();
      client.on('written', () => setImmediate(() => must.abort(refusal)));
      const held = { until: must.signal, mayGoOn: () => true };
      await writeReply(client, { kind: 'watch', events: eventsOf(added, added) }, answering({ held, stallMs: 20 }));
      expect([client.chunks.length, client.writableEnded, client.destroyed]).toEqual([1, true, true]);
    });
  });
});
