/**
 * The share of the process that expressions of one tenant may use: a bucket of CPU time for each tenant, which fills
 * slowly. Who has used up theirs waits, and everybody else is served meanwhile. Between two runs of expressions others
 * get their turn, so that no request holds up the process for longer than one run may take.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { ApiError } from '../errors.ts';
import type { TenantId } from '../tenancy/names.ts';

interface CpuShareOptions {
  /** What a tenant may use at once, in milliseconds of CPU. */
  readonly burstMs: number;
  /** What it gets back in a second. */
  readonly msPerSecond: number;
  readonly nowMs: () => number;
}

/** A tenth of one core, with room for what is large and rare. */
const DEFAULT_SHARE: CpuShareOptions = { burstMs: 200, msPerSecond: 100, nowMs: () => performance.now() };

const MOST_BUCKETS = 1_000;

interface Bucket {
  leftMs: number;
  atMs: number;
}

export class CpuShare {
  readonly #options: CpuShareOptions;
  readonly #buckets = new Map<TenantId, Bucket>();

  constructor(options: CpuShareOptions = DEFAULT_SHARE) {
    this.#options = options;
  }

  /**
   * Runs when the tenant has time left, after others had their turn.
   * @throws {ApiError} ERR_TIMEOUT when the request's own time is up before that
   */
  async run<T>(tenant: TenantId, signal: AbortSignal, work: () => T): Promise<T> {
    await setImmediate();
    if (this.#buckets.size > MOST_BUCKETS) this.#sweep();
    for (let waitMs = this.#waitMs(tenant); waitMs > 0; waitMs = this.#waitMs(tenant)) {
      await setTimeout(waitMs, undefined, { signal }).catch((cause: unknown) => {
        throw new ApiError('ERR_TIMEOUT', 'admission policies took more time than there is; try again', { cause });
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
  #waitMs(tenant: TenantId): number {
    const { leftMs } = this.#bucket(tenant);
    return leftMs > 0 ? 0 : Math.ceil(((1 - leftMs) / this.#options.msPerSecond) * 1000);
  }

  #bucket(tenant: TenantId): Bucket {
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
