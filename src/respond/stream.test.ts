import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Sink } from './sink.ts';
import { writeStream } from './stream.ts';

class FakeResponse extends PassThrough {
  head: { status: number; headers: unknown } | undefined;
  headersSent = false;
  writeHead(status: number, headers: unknown): void {
    this.head = { status, headers };
    this.headersSent = true;
  }
  flushHeaders(): void {}
}

async function* chunks(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

function start(source: AsyncIterable<Uint8Array>, options: { method?: string; until?: AbortSignal } = {}) {
  const response = new FakeResponse();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const written = writeStream(
    response as unknown as Sink,
    { kind: 'stream', status: 200, headers: { 'content-type': 'text/plain' }, chunks: source },
    { id: 'audit', method: options.method ?? 'GET', signal: gone.signal, until: options.until },
  );
  return { response, written };
}

describe('an answer that comes as it comes', () => {
  it('goes out chunk by chunk, with its own headers', async () => {
    const { response, written } = start(chunks('one ', 'two'));
    response.setEncoding('utf8');
    let text = '';
    for await (const chunk of response) text += chunk;
    expect(text).toBe('one two');
    expect(await written).toEqual({ status: 200, bodyBytes: 7 });
    const headers = { 'audit-id': 'audit', 'cache-control': 'no-cache, private', 'content-type': 'text/plain' };
    expect(response.head).toEqual({ status: 200, headers });
  });

  it('has no body for HEAD', async () => {
    const { response, written } = start(chunks('one'), { method: 'HEAD' });
    response.resume();
    expect(await written).toEqual({ status: 200, bodyBytes: 0 });
  });

  it('is cut off, also while nothing comes, when it may not go on; the source is told', async () => {
    const ending = new AbortController();
    let told = false;
    const silent: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          told = true;
          return { done: true, value: undefined };
        },
      }),
    };
    const { response, written } = start(silent, { until: ending.signal });
    response.on('error', () => {});
    ending.abort();
    await written;
    expect(response.destroyed).toBe(true);
    expect(told).toBe(true);
  });

  it('waits for a client that does not read, and reads no more for it', async () => {
    let made = 0;
    async function* endless(): AsyncIterable<Uint8Array> {
      for (;;) {
        made++;
        yield Buffer.alloc(64 * 1024);
      }
    }
    const { response, written } = start(endless());
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(made).toBeLessThan(5);
    response.on('error', () => {});
    response.destroy();
    await written;
  });
});
