/**
 * How much of a tenant's watches waits for clients that do not take it. One client that sleeps holds one event, which is
 * small or a megabyte; a thousand that sleep on purpose would hold the process's memory. Over a tenant's share those go
 * that have waited longest, unless they have only just begun to: a burst that all clients are busy reading is no fault.
 * A client whose watch was ended watches again, from where it was.
 */
import type { Waiting } from './sink.ts';

export interface WaitingBytesOptions {
  /** What may wait of one tenant, in bytes. */
  readonly bytesPerTenant?: number;
  /** How long a client may be slow, whatever waits. */
  readonly patienceMs?: number;
  readonly nowMs?: () => number;
}

const BYTES_PER_TENANT = 64 * 1024 * 1024;
const PATIENCE_MS = 2_000;

interface Waiter {
  readonly bytes: number;
  readonly sinceMs: number;
  readonly giveUp: () => void;
}

/** @returns for each tenant, by its uid, where its watches say that they wait */
export function countWaitingBytes(options: WaitingBytesOptions = {}): (tenant: string) => Waiting {
  const tenants = new Map<string, Share>();
  return (tenant) => ({
    begin(bytes, giveUp) {
      const share = tenants.get(tenant) ?? new Share(options);
      tenants.set(tenant, share);
      const stop = share.begin(bytes, giveUp);
      return () => {
        stop();
        if (share.isEmpty && tenants.get(tenant) === share) tenants.delete(tenant);
      };
    },
  });
}

class Share {
  readonly #limit: number;
  readonly #patienceMs: number;
  readonly #nowMs: () => number;
  /** Who waits longest comes first. */
  readonly #waiters = new Set<Waiter>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ bytesPerTenant = BYTES_PER_TENANT, patienceMs = PATIENCE_MS, nowMs = Date.now }: WaitingBytesOptions) {
    this.#limit = bytesPerTenant;
    this.#patienceMs = patienceMs;
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  begin(bytes: number, giveUp: () => void): () => void {
    const waiter = { bytes, sinceMs: this.#nowMs(), giveUp };
    this.#waiters.add(waiter);
    this.#bytes += bytes;
    this.#trim();
    return () => this.#leave(waiter);
  }

  #leave(waiter: Waiter): void {
    if (!this.#waiters.delete(waiter)) return;
    this.#bytes -= waiter.bytes;
    if (this.#bytes > this.#limit) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #trim(): void {
    for (const waiter of this.#waiters) {
      if (this.#bytes <= this.#limit) return;
      const leftMs = waiter.sinceMs + this.#patienceMs - this.#nowMs();
      if (leftMs > 0) {
        this.#lookAgain(leftMs);
        return;
      }
      this.#leave(waiter);
      waiter.giveUp();
    }
  }

  #lookAgain(afterMs: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#trim();
    }, afterMs);
    this.#timer.unref();
  }
}
