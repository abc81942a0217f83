/**
 * Who reads YAML when. All of it is read on a few threads aside, for it costs many times what JSON costs, and what it
 * costs its sender decides. So that nobody's documents hold up another's:
 *
 * - each tenant has one document read at a time, and a few waiting; more are 429, for that tenant alone
 * - tenants take turns
 * - a document has seconds, and a bounded memory; then its thread is ended, and its tenant waits before the next
 *
 * A document whose client has gone is dropped, and at the end of the process all are, at once.
 */
import { ApiError } from '../errors.ts';
import { JsonSyntaxError } from './json.ts';
import type { YamlDocument } from './yaml-read.ts';
import { startYamlThread, type YamlThread } from './yaml-thread.ts';

/** For whom a document is read. */
export interface YamlSender {
  /** The uid of its tenant. */
  readonly tenant: string;
  readonly signal: AbortSignal;
}

export interface YamlReader extends Disposable {
  /**
   * @throws {JsonSyntaxError} fit for the sender; {@link ApiError} ERR_TOO_MANY_REQUESTS when too many of the tenant's
   *   documents wait, ERR_UNAVAILABLE when the process is ending; the signal's reason
   */
  read(text: string, sender: YamlSender): Promise<YamlDocument>;
}

export interface YamlReaderOptions {
  /** At once. One more than a single tenant can keep busy. */
  readonly threads?: number;
  readonly waitingPerTenant?: number;
  /** For the largest document that means no harm, on a machine that is ten times too busy. */
  readonly documentMs?: number;
  /** How long a tenant waits whose document took more. */
  readonly penaltyMs?: number;
  readonly startThread?: (onEnd: () => void) => YamlThread;
  readonly nowMs?: () => number;
}

const THREADS = 2;
const WAITING_PER_TENANT = 8;
const DOCUMENT_MS = 10_000;
const PENALTY_MS = 30_000;

interface Job {
  readonly text: string;
  readonly answer: PromiseWithResolvers<YamlDocument>;
}

interface Queue {
  readonly waiting: Set<Job>;
  isReading: boolean;
  /** Nothing is read before this. */
  barredUntilMs: number;
}

export function createYamlReader(options: YamlReaderOptions = {}): YamlReader {
  const { threads = THREADS, waitingPerTenant = WAITING_PER_TENANT, nowMs = Date.now } = options;
  const { documentMs = DOCUMENT_MS, penaltyMs = PENALTY_MS, startThread = startYamlThread } = options;
  /** By tenant; whoever had a turn goes to the end. */
  const queues = new Map<string, Queue>();
  const idle: YamlThread[] = [];
  const all = new Map<YamlThread, Job | undefined>();
  let isClosed = false;

  function next(): void {
    while (idle.length > 0 || all.size < threads) {
      const turn = Iterator.from(queues).find(([, queue]) => !queue.isReading && queue.waiting.size > 0);
      if (turn === undefined) return;
      const [tenant, queue] = turn;
      const [job] = queue.waiting;
      if (job === undefined) return;
      queue.waiting.delete(job);
      queue.isReading = true;
      void run(idle.pop() ?? start(), tenant, queue, job);
    }
  }

  function start(): YamlThread {
    const thread = startThread(() => forget(thread));
    all.set(thread, undefined);
    return thread;
  }

  function forget(thread: YamlThread): void {
    all.delete(thread);
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
  }

  async function run(thread: YamlThread, tenant: string, queue: Queue, job: Job): Promise<void> {
    all.set(thread, job);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      forget(thread);
      thread.end();
      late.reject(new JsonSyntaxError(`yaml: takes more than ${documentMs / 1_000} s to read: send JSON`));
    }, documentMs);
    // The thread keeps the process alive meanwhile.
    timer.unref();
    try {
      job.answer.resolve(await Promise.race([thread.read(job.text), late.promise]));
    } catch (error) {
      // It took too long, or too much memory, and its thread with it.
      if (!all.has(thread)) bar(queue);
      job.answer.reject(error);
    }
    clearTimeout(timer);
    if (isClosed) return;
    if (all.has(thread)) {
      all.set(thread, undefined);
      idle.push(thread);
    }
    queue.isReading = false;
    queues.delete(tenant);
    queues.set(tenant, queue);
    leave(tenant, queue);
    next();
  }

  function bar(queue: Queue): void {
    queue.barredUntilMs = nowMs() + penaltyMs;
    for (const { answer } of queue.waiting) answer.reject(barred(penaltyMs));
    queue.waiting.clear();
  }

  /** A tenant with nothing to be read takes no memory. */
  function leave(tenant: string, queue: Queue): void {
    const isEmpty = !queue.isReading && queue.waiting.size === 0;
    if (isEmpty && queue.barredUntilMs <= nowMs() && queues.get(tenant) === queue) queues.delete(tenant);
  }

  return {
    async read(text, { tenant, signal }) {
      if (isClosed) throw ending();
      signal.throwIfAborted();
      const queue = queues.get(tenant) ?? { waiting: new Set(), isReading: false, barredUntilMs: 0 };
      const barredMs = queue.barredUntilMs - nowMs();
      if (barredMs > 0) throw barred(barredMs);
      if (queue.waiting.size >= waitingPerTenant) throw tooMany('too many YAML documents at once', 1);
      const job: Job = { text, answer: Promise.withResolvers<YamlDocument>() };
      queue.waiting.add(job);
      queues.set(tenant, queue);
      const drop = (): void => {
        queue.waiting.delete(job);
        leave(tenant, queue);
        job.answer.reject(signal.reason);
      };
      signal.addEventListener('abort', drop);
      next();
      try {
        return await job.answer.promise;
      } finally {
        signal.removeEventListener('abort', drop);
      }
    },
    [Symbol.dispose]() {
      isClosed = true;
      for (const [thread, job] of all) {
        thread.end();
        job?.answer.reject(ending());
      }
      for (const { waiting } of queues.values()) for (const { answer } of waiting) answer.reject(ending());
      all.clear();
      queues.clear();
      idle.length = 0;
    },
  };
}

function barred(forMs: number): ApiError {
  return tooMany('the last YAML document took too much to read', Math.ceil(forMs / 1_000));
}

function tooMany(what: string, retryAfterSeconds: number): ApiError {
  return new ApiError('ERR_TOO_MANY_REQUESTS', `${what}, please try again later or send JSON`, {
    details: { retryAfterSeconds },
    why: 'yaml-queue',
  });
}

function ending(): ApiError {
  return new ApiError('ERR_UNAVAILABLE', 'the server is shutting down; send the request again', {
    why: 'shutting-down',
  });
}
