/**
 * How much of this replica one tenant, and one user of it, has at once. Short requests and those that last are counted
 * apart, so that a tenant's many watches never keep its own writes out.
 *
 * A short request takes a seat, or several where the sender's last answers were large. When the tenant, its user or the
 * replica has no seat left, it waits for one in a queue of its user's own (seats.ts): whoever is greedy waits behind
 * themselves. What would wait too long, or stands behind too many, is refused: 429, and when to come back. So is who asks faster than their rate, or all of a tenant together faster than its
 * rate, before anything is done for it.
 *
 * Counted by the tenant's uid: a tenant that is made anew under the same id starts from nothing.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/ which this is modelled on
 * @see k8s.io/apiserver pkg/server/filters/maxinflight.go at v0.36 for the words of the refusal
 */
import { ApiError } from '../errors.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createPace } from './pace.ts';
import { createRates } from './rate.ts';
import { createSeats, type Leave as LeaveSeat, type SeatRequest } from './seats.ts';

export interface RequestLimits {
  readonly requestsInFlight: number;
  readonly requestsInFlightPerUser: number;
  /** Short requests that may wait for a seat. */
  readonly requestsWaiting: number;
  /** Undefined for no limit. */
  readonly requestsPerSecond: number | undefined;
  readonly requestsPerSecondPerUser: number | undefined;
  readonly watches: number;
  readonly watchesPerUser: number;
}

/** Whose a request is. */
export interface Sender {
  readonly tenant: Pick<Tenant, 'uid'>;
  readonly username: string;
}

export interface Usage {
  /** As the limits count them: one that is worth several seats is as many. */
  readonly requests: number;
  readonly requestsOfUser: number;
  /** Each is one. */
  readonly waiting: number;
  readonly watches: number;
  readonly watchesOfUser: number;
}

export interface Limiter extends Disposable {
  /**
   * Takes a place, now or when there is one. The function gives it back; calling it again does nothing.
   * @throws {ApiError} ERR_TOO_MANY_REQUESTS; what `signal` says when the client leaves meanwhile
   */
  enter(sender: Sender, limits: RequestLimits, longRunning: boolean, signal: AbortSignal): Leave | Promise<Leave>;
  /** What is under way on this replica for a tenant, and for one user of it. */
  usage(sender: Sender): Usage;
}

/** @param answerBytes by which the sender's next requests are judged: who asks for large answers is served fewer at once */
export type Leave = (answerBytes?: number) => void;

export interface LimiterOptions {
  readonly nowMs: () => number;
  /** Short requests that this replica serves at once, of all tenants, while it is not busy; fewer when it is. */
  readonly seats?: number;
  /** How long a request waits for a seat. */
  readonly patienceMs?: number;
}

/** Enough to keep the host busy. */
const SEATS = 256;
/** While the process is busy: enough to keep it so, and few enough that a newcomer never waits behind much. */
const SEATS_BUSY = 4;
/** A quarter of the time that a request may take, as API Priority and Fairness has it. */
const PATIENCE_MS = 15_000;
const RETRY_AFTER_SECONDS = 1;
/** Take about as long to make as an ordinary request takes to be served, and are worth a seat more. */
const BYTES_PER_SEAT = 64 * 1024;

export function createLimiter({ nowMs, seats = SEATS, patienceMs = PATIENCE_MS }: LimiterOptions): Limiter {
  const pace = createPace({ most: seats, least: Math.min(seats, SEATS_BUSY), onMore: () => short.more() });
  const short = createSeats({ seats: () => pace.seats, most: seats, patienceMs });
  const rates = createRates(nowMs);
  const watches = new Map<string, number>();
  return {
    enter({ tenant, username }, limits, longRunning, signal) {
      const user = userKey(tenant.uid, username);
      // The user's own first: what is refused for it takes nothing of the others' share.
      keepRate(user, limits.requestsPerSecondPerUser, 'one user', 'rate-of-user');
      keepRate(tenant.uid, limits.requestsPerSecond, 'this cluster', 'rate');
      if (longRunning) return enterWatch(tenant.uid, user, limits);
      const request: SeatRequest = {
        flow: tenant.uid,
        user,
        ofFlow: limits.requestsInFlight,
        ofUser: limits.requestsInFlightPerUser,
        waiting: limits.requestsWaiting,
      };
      const seat = short.take(request, signal, (why) =>
        why === 'full'
          ? tooMany(`this cluster is served ${limits.requestsInFlight} at once, and as many wait as may`, 'waiting')
          : tooMany('it waited for its turn for too long', 'waited'),
      );
      return seat instanceof Promise ? seat.then(leaveByBytes) : leaveByBytes(seat);
    },
    usage({ tenant: { uid }, username }) {
      const user = userKey(uid, username);
      const watching = { watches: watches.get(uid) ?? 0, watchesOfUser: watches.get(user) ?? 0 };
      const { seats: requests, seatsOfUser: requestsOfUser, waiting } = short.usage(uid, user);
      return { requests, requestsOfUser, waiting, ...watching };
    },
    [Symbol.dispose]: () => pace[Symbol.dispose](),
  };

  function keepRate(key: string, perSecond: number | undefined, who: string, why: string): void {
    if (perSecond === undefined || rates.take(key, perSecond)) return;
    throw tooMany(`${who} is served ${perSecond} requests a second`, why);
  }

  function enterWatch(uid: string, user: string, limits: RequestLimits): () => void {
    if ((watches.get(uid) ?? 0) >= limits.watches) {
      throw tooMany(`this cluster is served ${limits.watches} watches at once`, 'watches');
    }
    if ((watches.get(user) ?? 0) >= limits.watchesPerUser) {
      throw tooMany(`one user is served ${limits.watchesPerUser} watches at once`, 'watches-of-user');
    }
    for (const key of [uid, user]) watches.set(key, (watches.get(key) ?? 0) + 1);
    return once(() => {
      for (const key of [uid, user]) less(watches, key);
    });
  }
}

function leaveByBytes(leave: LeaveSeat): Leave {
  return (answerBytes = 0) => leave(1 + answerBytes / BYTES_PER_SEAT);
}

function userKey(uid: string, username: string): string {
  return JSON.stringify([uid, username]);
}

/** Forgets who has nothing under way, so that tenants long gone take no memory. */
function less(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 1) - 1;
  if (count <= 0) counts.delete(key);
  else counts.set(key, count);
}

function once(release: () => void): () => void {
  let entered = true;
  return () => {
    if (entered) release();
    entered = false;
  };
}

function tooMany(what: string, why: string): ApiError {
  return new ApiError('ERR_TOO_MANY_REQUESTS', `too many requests, please try again later: ${what}`, {
    details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
    why,
  });
}
