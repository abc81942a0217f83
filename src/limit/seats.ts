/**
 * Seats for requests, given fairly. There are so many in all, so many for each flow (a tenant) and for each user in it.
 * Whoever finds none waits in the queue of their user. A seat that comes free goes to the flow that has the least, and in
 * it to the user who has the least, so that a thousand requests of one never stand before the first of another. A flow
 * that has none is given one even where all are taken, up to twice as many: whoever is calm does not wait.
 *
 * A request may take several seats: as many as the last ones of its user were worth. So whoever asks for what is large is
 * served fewer at once. Where too many of a flow wait, those of the user who has the most of them are refused.
 */
export interface SeatRequest {
  readonly flow: string;
  /** Of one flow only. */
  readonly user: string;
  /** Seats that the flow and the user may have at once. */
  readonly ofFlow: number;
  readonly ofUser: number;
  /** How many requests of the flow may wait. */
  readonly waiting: number;
}

export interface Seats {
  /**
   * A seat or several, now or later; the function gives them back, once, and says how many the request was worth.
   * @param refusal what to throw when too many wait already, or it has waited too long
   */
  take(request: SeatRequest, signal: AbortSignal, refusal: (why: 'full' | 'late') => Error): Leave | Promise<Leave>;
  usage(flow: string, user: string): SeatUsage;
  /** There are more seats than before. */
  more(): void;
}

/** @param worth in seats; an ordinary request is worth one */
export type Leave = (worth?: number) => void;

export interface SeatUsage {
  readonly seats: number;
  readonly seatsOfUser: number;
  /** Requests. */
  readonly waiting: number;
}

interface Holder {
  seats: number;
  /** How many seats a request takes, by those that are over: the later, the more it counts. */
  width: number;
}

interface User extends Holder {
  readonly queue: Set<Waiter>;
}

interface Flow extends Holder {
  waiting: number;
  readonly users: Map<string, User>;
}

interface Waiter {
  readonly request: SeatRequest;
  seat(): void;
  refuse(): void;
}

export interface SeatsOptions {
  /** How many there are now, and how many there may ever be. */
  readonly seats: () => number;
  readonly most: number;
  readonly patienceMs: number;
}

/** As wide as API Priority and Fairness takes any request for. */
const MOST_WIDTH = 10;
/** How much the last request counts. */
const LAST_COUNTS = 0.25;

export function createSeats({ seats, most, patienceMs }: SeatsOptions): Seats {
  const flows = new Map<string, Flow>();
  /** Flows of which somebody waits. */
  const waitingFlows = new Set<Flow>();
  let taken = 0;

  function sit(request: SeatRequest): Leave {
    const flow = flowOf(request);
    const user = userOf(flow, request);
    // Whole ones, which add up to nothing again.
    const width = Math.round(user.width);
    taken += width;
    for (const holder of [flow, user]) holder.seats += width;
    let isSeated = true;
    return (worth = 1) => {
      if (!isSeated) return;
      isSeated = false;
      taken -= width;
      for (const holder of [flow, user]) {
        holder.seats -= width;
        holder.width += (Math.min(worth, MOST_WIDTH) - holder.width) * LAST_COUNTS;
      }
      forget(request, flow, user);
      seatNext();
    };
  }

  function seatNext(): void {
    for (let waiter = next(); waiter !== undefined; waiter = next()) waiter.seat();
  }

  /** Of those that may be seated, the one whose flow and then whose user has the least. */
  function next(): Waiter | undefined {
    let best: { waiter: Waiter; flow: number; user: number } | undefined;
    for (const flow of waitingFlows) {
      if (!isFree(flow)) continue;
      if (best !== undefined && flow.seats > best.flow) continue;
      for (const user of flow.users.values()) {
        const [waiter] = user.queue;
        if (waiter === undefined || !hasRoom(waiter.request, flow, user)) continue;
        const isBetter = best === undefined || flow.seats < best.flow || user.seats < best.user;
        if (isBetter) best = { waiter, flow: flow.seats, user: user.seats };
      }
    }
    return best?.waiter;
  }

  function isFree(flow: Flow | undefined): boolean {
    return taken < seats() || ((flow?.seats ?? 0) === 0 && taken < 2 * most);
  }

  function wait(request: SeatRequest, signal: AbortSignal, refusal: (why: 'full' | 'late') => Error): Promise<Leave> {
    const flow = flowOf(request);
    const user = userOf(flow, request);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', gone);
        user.queue.delete(waiter);
        flow.waiting -= 1;
        if (flow.waiting === 0) waitingFlows.delete(flow);
        forget(request, flow, user);
      };
      const give = (error: unknown) => {
        leave();
        reject(error);
      };
      const gone = () => give(signal.reason);
      const timer = setTimeout(() => give(refusal('late')), patienceMs);
      const waiter: Waiter = {
        request,
        seat() {
          const release = sit(request);
          leave();
          resolve(release);
        },
        refuse: () => give(refusal('full')),
      };
      user.queue.add(waiter);
      flow.waiting += 1;
      waitingFlows.add(flow);
      signal.addEventListener('abort', gone);
    });
  }

  function flowOf({ flow: key }: SeatRequest): Flow {
    const known = flows.get(key);
    if (known !== undefined) return known;
    const made: Flow = { seats: 0, width: 1, waiting: 0, users: new Map() };
    flows.set(key, made);
    return made;
  }

  /** Who has no seat and waits for none takes no memory. */
  function forget(request: SeatRequest, flow: Flow, user: User): void {
    if (user.seats === 0 && user.queue.size === 0) flow.users.delete(request.user);
    if (flow.users.size === 0) flows.delete(request.flow);
  }

  return {
    take(request, signal, refusal) {
      if (signal.aborted) throw signal.reason;
      const flow = flows.get(request.flow);
      const user = flow?.users.get(request.user);
      // Nobody who has just come goes before those of the same user that wait.
      const mayPass = (user?.queue.size ?? 0) === 0 && hasRoom(request, flow, user);
      if (mayPass && isFree(flow)) return sit(request);
      if (flow !== undefined && flow.waiting >= request.waiting) {
        const other = lastOfMost(flow, (user?.queue.size ?? 0) + 1);
        if (other === undefined) throw refusal('full');
        other.refuse();
      }
      return wait(request, signal, refusal);
    },
    usage(key, user) {
      const flow = flows.get(key);
      const seatsOfUser = flow?.users.get(user)?.seats ?? 0;
      return { seats: flow?.seats ?? 0, seatsOfUser, waiting: flow?.waiting ?? 0 };
    },
    more: seatNext,
  };
}

function hasRoom({ ofFlow, ofUser }: SeatRequest, flow: Flow | undefined, user: User | undefined): boolean {
  return (flow?.seats ?? 0) < ofFlow && (user?.seats ?? 0) < ofUser;
}

/** The last in the queue of the user who has the most in it, if that are more than so many. */
function lastOfMost(flow: Flow, than: number): Waiter | undefined {
  let most: User | undefined;
  for (const user of flow.users.values()) {
    if (user.queue.size > (most?.queue.size ?? than)) most = user;
  }
  return most && [...most.queue].at(-1);
}

function userOf(flow: Flow, { user: key }: SeatRequest): User {
  const known = flow.users.get(key);
  if (known !== undefined) return known;
  const made: User = { seats: 0, width: flow.width, queue: new Set() };
  flow.users.set(key, made);
  return made;
}
