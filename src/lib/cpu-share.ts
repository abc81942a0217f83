/**
 * The share of the process that one tenant may use for a kind of work: a bucket of CPU time for each, which fills slowly.
 * Who has used up theirs waits, and everybody else is served meanwhile. Between two runs others get their turn, so that
 * no request holds up the process for longer than one run takes.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';

export interface CpuShareOptions {
  /** What a tenant may use at once, in milliseconds of CPU. */
  readonly burstMs: number;
  /** What it gets back in a second. */
  readonly msPerSecond: number;
  /** What is thrown when the request's own time is up before its turn. @param waitMs how long it would yet wait */
  readonly late: (waitMs: number, cause: unknown) => Error;
  readonly nowMs?: () => number;
}

const MOST_BUCKETS = 1_000;

interface Bucket {
  leftMs: number;
  atMs: number;
}

export class CpuShare {
  readonly #options: Required<CpuShareOptions>;
  readonly #buckets = new Map<string, Bucket>();

  constructor({ nowMs = () => performance.now(), ...options }: CpuShareOptions) {
    this.#options = { ...options, nowMs };
  }

  /**
   * Runs when the tenant has time left, after others had their turn. Of what `work` promises only the part before its
   * first `await` counts.
   * @throws what `late` makes, when the request's own time is up before that
   */
  async run<T>(tenant: string, signal: AbortSignal, work: () => T): Promise<T> {
    await setImmediate();
    if (this.#buckets.size > MOST_BUCKETS) this.#sweep();
    for (let waitMs = this.#waitMs(tenant); waitMs > 0; waitMs = this.#waitMs(tenant)) {
      await setTimeout(waitMs, undefined, { signal }).catch((cause: unknown) => {
        throw this.#options.late(waitMs, cause);
      });
    }
    const started = process.threadCpuUsage();
    try {
      return work();
    } finally {
      const { user, system } = process.threadCpuUsage(started);
      this.#bucket(tenant).leftMs -= (user + system) / 1000;
    }
  }

  /** How long until there is something left. */
  #waitMs(tenant: string): number {
    const { leftMs } = this.#bucket(tenant);
    return leftMs > 0 ? 0 : Math.ceil(((1 - leftMs) / this.#options.msPerSecond) * 1000);
  }

  #bucket(tenant: string): Bucket {
    const { burstMs, msPerSecond, nowMs } = this.#options;
    const now = nowMs();
    const known = this.#buckets.get(tenant) ?? { leftMs: burstMs, atMs: now };
    const gained = ((now - known.atMs) / 1000) * msPerSecond;
    const bucket = { leftMs: Math.min(burstMs, known.leftMs + gained), atMs: now };
    this.#buckets.set(tenant, bucket);
    return bucket;
  }

  /** Forgets tenants whose bucket is full: they are as if they had never been. */
  #sweep(): void {
    for (const tenant of [...this.#buckets.keys()]) {
      if (this.#bucket(tenant).leftMs >= this.#options.burstMs) this.#buckets.delete(tenant);
    }
  }
}
