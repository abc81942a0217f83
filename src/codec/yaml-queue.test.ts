import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JsonSyntaxError } from './json.ts';
import { createYamlReader, type YamlReader } from './yaml-queue.ts';
import type { YamlDocument } from './yaml-read.ts';

const DOCUMENT_MS = 5_000;

/** Threads that read what the test lets them. */
class FakeThreads {
  readonly started: Array<{ ended: boolean; onEnd: () => void }> = [];
  /** By text: what is being read now. */
  readonly reading = new Map<string, PromiseWithResolvers<YamlDocument>>();
  readonly start = (onEnd: () => void) => {
    const thread = { ended: false, onEnd };
    this.started.push(thread);
    return {
      read: (text: string) => {
        const answer = Promise.withResolvers<YamlDocument>();
        this.reading.set(text, answer);
        return answer.promise.finally(() => this.reading.delete(text));
      },
      end: () => {
        thread.ended = true;
      },
    };
  };

  async finish(text: string): Promise<void> {
    this.reading.get(text)?.resolve({ document: text, repeated: [] });
    await settle();
  }
}

/** Everything that follows from what happened has happened. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

let threads: FakeThreads;
let reader: YamlReader;
beforeEach(() => {
  vi.useFakeTimers();
  threads = new FakeThreads();
  reader = createYamlReader({
    threads: 2,
    waitingPerTenant: 2,
    documentMs: DOCUMENT_MS,
    penaltyMs: 10_000,
    startThread: threads.start,
  });
});
afterEach(() => {
  reader[Symbol.dispose]();
  vi.useRealTimers();
});

const open = new AbortController().signal;

/** Starts to read, and keeps what became of it. */
function read(tenant: string, text: string, signal = open): { answer: Promise<YamlDocument>; outcome(): unknown } {
  let outcome: unknown;
  const answer = reader.read(text, { tenant, signal });
  answer.then(
    ({ document }) => (outcome = document),
    (error) => (outcome = error),
  );
  return { answer, outcome: () => outcome };
}
const now = (): string[] => [...threads.reading.keys()].sort();
const queueFull = expect.objectContaining({ status: 429, why: 'yaml-queue' });

describe('the YAML of several tenants', () => {
  it('is read one document at a time for each, and others need not wait for it', async () => {
    const first = read('a', 'a1');
    read('a', 'a2');
    expect(now()).toEqual(['a1']);
    const other = read('b', 'b1');
    expect(now()).toEqual(['a1', 'b1']);
    await threads.finish('b1');
    expect(other.outcome()).toBe('b1');
    expect(now()).toEqual(['a1']);
    await threads.finish('a1');
    expect(first.outcome()).toBe('a1');
    expect(now()).toEqual(['a2']);
  });

  it('is read in turns', async () => {
    for (const text of ['a1', 'a2', 'a3']) read('a', text);
    read('b', 'b1');
    read('c', 'c1');
    expect(now()).toEqual(['a1', 'b1']);
    await threads.finish('a1');
    expect(now()).toEqual(['b1', 'c1']);
    await threads.finish('b1');
    expect(now()).toEqual(['a2', 'c1']);
  });

  it('is refused to the one that has too much waiting, and to no other', async () => {
    const taken = ['a1', 'a2', 'a3'].map((text) => read('a', text));
    const over = read('a', 'a4');
    await settle();
    expect(over.outcome()).toEqual(queueFull);
    expect(taken.map(({ outcome }) => outcome())).toEqual([undefined, undefined, undefined]);
    read('b', 'b1');
    expect(now()).toEqual(['a1', 'b1']);
  });
});

describe('a document that takes too long', () => {
  it('is refused, its thread ended, and its tenant made to wait', async () => {
    const [late, behind] = [read('a', 'a1'), read('a', 'a2')];
    const other = read('b', 'b1');
    await vi.advanceTimersByTimeAsync(DOCUMENT_MS - 1);
    expect(late.outcome()).toBeUndefined();
    await threads.finish('b1');
    await vi.advanceTimersByTimeAsync(1);
    expect(late.outcome()).toEqual(new JsonSyntaxError('yaml: takes more than 5 s to read: send JSON'));
    expect([behind.outcome(), other.outcome()]).toEqual([queueFull, 'b1']);
    expect(threads.started.map(({ ended }) => ended)).toEqual([true, false]);

    await expect(read('a', 'a3').answer).rejects.toThrow(queueFull);
    read('b', 'b2');
    read('c', 'c1');
    expect(now()).toEqual(expect.arrayContaining(['b2', 'c1']));
    await vi.advanceTimersByTimeAsync(10_000);
    await threads.finish('b2');
    read('a', 'a4');
    expect(now()).toContain('a4');
  });
});

describe('a document whose client has gone', () => {
  it('is not read when it waits, and not waited for when it is read', async () => {
    const gone = new AbortController();
    const [reading, waiting] = [read('a', 'a1', gone.signal), read('a', 'a2', gone.signal)];
    read('a', 'a3');
    gone.abort('gone');
    await settle();
    expect([reading.outcome(), waiting.outcome()]).toEqual(['gone', 'gone']);
    expect(now()).toEqual(['a1']);
    await threads.finish('a1');
    expect(now()).toEqual(['a3']);
    await expect(read('a', 'a4', gone.signal).answer).rejects.toBe('gone');
  });
});

describe('a thread that ends by itself', () => {
  it('is replaced, and the tenant of its document made to wait', async () => {
    const lost = read('a', 'a1');
    threads.reading.get('a1')?.reject(new JsonSyntaxError('yaml: too large to read: send JSON'));
    threads.started[0]?.onEnd();
    await settle();
    expect(lost.outcome()).toBeInstanceOf(JsonSyntaxError);
    await expect(read('a', 'a2').answer).rejects.toThrow(queueFull);
    read('b', 'b1');
    expect([now(), threads.started.length]).toEqual([['b1'], 2]);
  });
});

describe('the end of the process', () => {
  it('ends all threads at once, and refuses what was to be read', async () => {
    const all = [read('a', 'a1'), read('a', 'a2'), read('b', 'b1')];
    reader[Symbol.dispose]();
    await settle();
    const ending = expect.objectContaining({ status: 503, why: 'shutting-down' });
    expect(all.map(({ outcome }) => outcome())).toEqual([ending, ending, ending]);
    expect(threads.started.every(({ ended }) => ended)).toBe(true);
    await expect(read('c', 'c1').answer).rejects.toThrow(ending);
  });
});
