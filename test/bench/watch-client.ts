/**
 * Many watches of one collection over few HTTP/2 connections, or over a connection each, and what comes of them: how many
 * events, and how late. Each event is expected to hold the time of its sending, which is this process's own.
 */
import { type ClientHttp2Session, connect } from 'node:http2';
import type { Access } from './client.ts';

const STREAMS_EACH = 100;
const OPENED_AT_ONCE = 50;
/** What a ConfigMap holds: `{"data":{"sentMs":"1234.5"` */
const MARK = '"sentMs":"';

export interface Watches extends AsyncDisposable {
  /** Forgets what came. */
  reset(): void;
  /** Since then. */
  readonly events: number;
  readonly delaysMs: readonly number[];
  /** Watches that have ended. */
  readonly ended: number;
}

export interface WatchesOptions {
  readonly count: number;
  readonly connections: 'shared' | 'own';
  readonly path: string;
  /** What is in the event that ends its beginning; left out, it has begun when it is answered. */
  readonly begun?: string;
}

/** Resolves when each has begun. */
export async function openWatches(
  access: Access,
  { count, connections, path, begun }: WatchesOptions,
): Promise<Watches> {
  const sessions: ClientHttp2Session[] = [];
  const each = connections === 'own' ? 1 : STREAMS_EACH;
  let events = 0;
  let ended = 0;
  let delaysMs: number[] = [];

  function session(): ClientHttp2Session {
    const opened = connect(access.server, { ca: access.caPem, cert: access.certPem, key: access.keyPem });
    opened.on('error', () => {});
    opened.setMaxListeners(0);
    sessions.push(opened);
    return opened;
  }

  function open(on: ClientHttp2Session): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stream = on.request({ ':path': path, accept: 'application/json' });
    stream.on('error', reject);
    stream.once('response', ({ ':status': status }) => {
      if (status !== 200) reject(new Error(`a watch was answered with ${status}`));
      else if (begun === undefined) resolve();
    });
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      const nowMs = performance.now();
      for (const line of lines) {
        if (begun !== undefined && line.includes(begun)) resolve();
        const at = line.indexOf(MARK);
        if (at < 0) continue;
        events += 1;
        const from = at + MARK.length;
        delaysMs.push(nowMs - Number(line.slice(from, line.indexOf('"', from))));
      }
    });
    stream.once('close', () => (ended += 1));
    return promise;
  }

  let current: ClientHttp2Session | undefined;
  for (let at = 0; at < count; at += OPENED_AT_ONCE) {
    const some: Array<Promise<void>> = [];
    for (let one = at; one < Math.min(count, at + OPENED_AT_ONCE); one += 1) {
      if (one % each === 0) current = session();
      some.push(open(current as ClientHttp2Session));
    }
    await Promise.all(some);
  }
  return {
    reset() {
      events = 0;
      delaysMs = [];
    },
    get events() {
      return events;
    },
    get delaysMs() {
      return delaysMs;
    },
    get ended() {
      return ended;
    },
    async [Symbol.asyncDispose]() {
      for (const one of sessions) one.destroy();
    },
  };
}
