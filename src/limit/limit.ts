/**
 * How many requests of one tenant this replica serves at once. Short requests and those that last are counted apart, so
 * that a tenant's many watches never keep its own writes out. What is over the limit is refused at once, before anything
 * is done for it: 429, and when to come back.
 *
 * Counted by the tenant's uid: a tenant that is made anew under the same id starts from nothing.
 *
 * @see k8s.io/apiserver pkg/server/filters/maxinflight.go at v0.36
 */
import { ApiError } from '../errors.ts';
import type { Tenant } from '../tenancy/tenant.ts';

export interface InFlightLimits {
  readonly requestsInFlight: number;
  readonly watches: number;
}

export interface Limiter {
  /**
   * Takes a place. The function that is returned gives it back; calling it again does nothing.
   * @throws {ApiError} ERR_TOO_MANY_REQUESTS
   */
  enter(tenant: Pick<Tenant, 'uid'>, limits: InFlightLimits, longRunning: boolean): () => void;
  /** For metrics: what is under way for a tenant. */
  inFlight(tenant: Pick<Tenant, 'uid'>): { readonly requests: number; readonly watches: number };
}

const RETRY_AFTER_SECONDS = 1;

export function createLimiter(): Limiter {
  const requests = new Map<string, number>();
  const watches = new Map<string, number>();
  return {
    enter(tenant, limits, longRunning) {
      const counts = longRunning ? watches : requests;
      const limit = longRunning ? limits.watches : limits.requestsInFlight;
      const count = counts.get(tenant.uid) ?? 0;
      if (count >= limit) throw tooMany(longRunning, limit);
      counts.set(tenant.uid, count + 1);
      let entered = true;
      return () => {
        if (!entered) return;
        entered = false;
        leave(counts, tenant.uid);
      };
    },
    inFlight: (tenant) => ({ requests: requests.get(tenant.uid) ?? 0, watches: watches.get(tenant.uid) ?? 0 }),
  };
}

/** Forgets a tenant that has nothing under way, so that tenants long gone take no memory. */
function leave(counts: Map<string, number>, uid: string): void {
  const count = (counts.get(uid) ?? 1) - 1;
  if (count <= 0) counts.delete(uid);
  else counts.set(uid, count);
}

function tooMany(longRunning: boolean, limit: number): ApiError {
  const what = longRunning ? 'watches' : 'requests';
  return new ApiError(
    'ERR_TOO_MANY_REQUESTS',
    `too many ${what} at once, please try again later: this cluster is served ${limit}`,
    { details: { retryAfterSeconds: RETRY_AFTER_SECONDS }, why: longRunning ? 'watches' : 'requests-in-flight' },
  );
}
