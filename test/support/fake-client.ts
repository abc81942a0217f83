/**
 * Where answers go in tests of `respond`: a client that takes what it gets, at once or when it is told to, and what
 * else an answer is written with.
 */
import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Accept, SharedEvent } from '../../src/exchange.ts';
import type { WatchEvent } from '../../src/k8s/types.ts';
import type { Logger } from '../../src/observe/log.ts';
import type { Sink } from '../../src/respond/sink.ts';
import type { Answering } from '../../src/respond/write.ts';

export class FakeClient extends EventEmitter implements Sink {
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
    this.emit('ended');
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

export const JSON_ACCEPT: Accept = { media: 'json', as: undefined };
export const PROTOBUF: Accept = { media: 'protobuf', as: undefined };
export const POD = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } };
export const FOO = { kind: 'Foo', apiVersion: 'stable.example.com/v1', metadata: { name: 'a' } };

export function quietLog(): Logger & { errors: unknown[] } {
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

export function answering(part: Partial<Answering> = {}): Answering {
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

export async function* eventsOf(...events: Array<WatchEvent | SharedEvent>): AsyncGenerator<WatchEvent | SharedEvent> {
  yield* events;
}
