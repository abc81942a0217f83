/**
 * How fast somebody asks: a bucket of tokens for each, which fills at their rate and holds two seconds of it. Who has not
 * asked for that long is forgotten, for a full bucket is what they would have.
 */
export interface Rates {
  /** Takes a token; false when there is none. */
  take(key: string, perSecond: number): boolean;
  readonly size: number;
}

const SECONDS_HELD = 2;
/** Buckets are looked through when so many have come since. */
const SWEEP_AFTER = 1_000;

export function createRates(nowMs: () => number): Rates {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  let sinceSweep = 0;

  function sweep(now: number): void {
    sinceSweep = 0;
    for (const [key, { atMs }] of buckets) if (now - atMs > SECONDS_HELD * 1_000) buckets.delete(key);
  }

  return {
    take(key, perSecond) {
      const now = nowMs();
      const holds = perSecond * SECONDS_HELD;
      const bucket = buckets.get(key);
      if (bucket === undefined) {
        sinceSweep += 1;
        if (sinceSweep > SWEEP_AFTER) sweep(now);
        buckets.set(key, { tokens: holds - 1, atMs: now });
        return true;
      }
      // A clock that was set back takes nothing away.
      const gained = (Math.max(now - bucket.atMs, 0) / 1_000) * perSecond;
      const tokens = Math.min(bucket.tokens + gained, holds);
      bucket.atMs = now;
      bucket.tokens = tokens < 1 ? tokens : tokens - 1;
      return tokens >= 1;
    },
    get size() {
      return buckets.size;
    },
  };
}
