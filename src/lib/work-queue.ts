/**
 * A level-triggered work queue: keys say "look at this again", never what to do. A key waits at most once, is worked on
 * by one worker at a time, and comes back with growing pauses while its work fails. What happens to a key during its
 * work is not lost: it is worked on once more.
 *
 * @see k8s.io/client-go util/workqueue/queue.go at v0.36
 */
import { backoffMs } from './backoff.ts';

export interface WorkQueue {
  /** Now, or as soon as a worker is free. */
  add(key: string): void;
  /** After a pause; an earlier appointment of the same key stands. */
  addAfter(key: string, ms: number): void;
  /** Takes no more keys; resolves when the work in progress has ended. */
  stop(): Promise<void>;
}

/** Time, so that tests need not wait. */
export interface QueueClock {
  nowMs(): number;
  /** Calls back once after `ms`; returns how to call it off. */
  timer(callback: () => void, ms: number): () => void;
}

export interface WorkQueueOptions {
  /**
   * Brings the world of `key` to what it should be. Resolving with a number asks to be called again after that many
   * milliseconds; rejecting asks for another try, later and later.
   */
  work: (key: string) => Promise<number | undefined>;
  /** How many keys at once. */
  concurrency: number;
  backoff?: { firstMs: number; capMs: number; random?: () => number };
  clock?: QueueClock;
  /** Told of every rejection; `attempt` counts from 1 since the last success. */
  onError?: (key: string, error: unknown, attempt: number) => void;
}

const BACKOFF = { firstMs: 50, capMs: 30_000 };

const systemClock: QueueClock = {
  nowMs: Date.now,
  timer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { work, concurrency } = options;
  const clock = options.clock ?? systemClock;
  const backoff = options.backoff ?? BACKOFF;
  /** Waiting for a worker, in order. */
  const waiting = new Set<string>();
  const working = new Set<string>();
  const again = new Set<string>();
  const failures = new Map<string, number>();
  const appointments = new Map<string, { atMs: number; cancel: () => void }>();
  let stopped: PromiseWithResolvers<void> | undefined;

  function add(key: string): void {
    if (stopped !== undefined) return;
    if (working.has(key)) again.add(key);
    else waiting.add(key);
    start();
  }

  function addAfter(key: string, ms: number): void {
    if (stopped !== undefined) return;
    const atMs = clock.nowMs() + ms;
    const earlier = appointments.get(key);
    if (earlier !== undefined && earlier.atMs <= atMs) return;
    earlier?.cancel();
    const cancel = clock.timer(() => {
      appointments.delete(key);
      add(key);
    }, ms);
    appointments.set(key, { atMs, cancel });
  }

  function start(): void {
    for (const key of waiting) {
      if (working.size >= concurrency) return;
      waiting.delete(key);
      working.add(key);
      void run(key);
    }
  }

  async function run(key: string): Promise<void> {
    try {
      const againMs = await work(key);
      failures.delete(key);
      if (againMs !== undefined) addAfter(key, againMs);
    } catch (error) {
      const attempt = (failures.get(key) ?? 0) + 1;
      failures.set(key, attempt);
      options.onError?.(key, error, attempt);
      addAfter(key, backoffMs(attempt, backoff));
    }
    working.delete(key);
    if (again.delete(key)) add(key);
    start();
    if (working.size === 0) stopped?.resolve();
  }

  return {
    add,
    addAfter,
    stop() {
      if (stopped === undefined) {
        stopped = Promise.withResolvers();
        waiting.clear();
        again.clear();
        for (const { cancel } of appointments.values()) cancel();
        appointments.clear();
        if (working.size === 0) stopped.resolve();
      }
      return stopped.promise;
    },
  };
}
