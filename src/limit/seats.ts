/**
 * Seats for requests, given fairly. There are so many in all, so many for each flow (a tenant) and for each user in it.
 * Whoever finds none waits in the queue of their user. A seat that comes free goes to the flow that has the fewest, and in
 * it to the user who has the fewest, so that a thousand requests of one never stand before the first of another. A flow
 * that has none is given one even where all are taken, up to twice as many: whoever is calm does not wait.
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
   * A seat, now or later; the function gives it back, once.
   * @param refusal what to throw when too many wait already, or it has waited too long
   */
  take(
    request: SeatRequest,
    signal: AbortSignal,
    refusal: (why: 'full' | 'late') => Error,
  ): (() => void) | Promise<() => void>;
  usage(flow: string, user: string): SeatUsage;
  /** There are more seats than before. */
  more(): void;
}

export interface SeatUsage {
  readonly requests: number;
  readonly requestsOfUser: number;
  readonly waiting: number;
}

interface User {
  seated: number;
  readonly queue: Set<Waiter>;
}

interface Flow {
  seated: number;
  waiting: number;
  readonly users: Map<string, User>;
}

interface Waiter {
  readonly request: SeatRequest;
  readonly seat: () => void;
}

export interface SeatsOptions {
  /** How many there are now, and how many there may ever be. */
  readonly seats: () => number;
  readonly most: number;
  readonly patienceMs: number;
}

export function createSeats({ seats, most, patienceMs }: SeatsOptions): Seats {
  const flows = new Map<string, Flow>();
  /** Flows of which somebody waits. */
  const waitingFlows = new Set<Flow>();
  let seated = 0;

  function sit(request: SeatRequest): () => void {
    const flow = flowOf(request);
    const user = userOf(flow, request);
    seated += 1;
    flow.seated += 1;
    user.seated += 1;
    let isSeated = true;
    return () => {
      if (!isSeated) return;
      isSeated = false;
      seated -= 1;
      flow.seated -= 1;
      user.seated -= 1;
      forget(request, flow, user);
      seatNext();
    };
  }

  function seatNext(): void {
    for (let waiter = next(); waiter !== undefined; waiter = next()) waiter.seat();
  }

  /** Of those that may be seated, the one whose flow and then whose user has the fewest seats. */
  function next(): Waiter | undefined {
    let best: { waiter: Waiter; flow: number; user: number } | undefined;
    for (const flow of waitingFlows) {
      if (!isFree(flow)) continue;
      if (best !== undefined && flow.seated > best.flow) continue;
      for (const user of flow.users.values()) {
        const [waiter] = user.queue;
        if (waiter === undefined || !hasRoom(waiter.request, flow, user)) continue;
        const isBetter = best === undefined || flow.seated < best.flow || user.seated < best.user;
        if (isBetter) best = { waiter, flow: flow.seated, user: user.seated };
      }
    }
    return best?.waiter;
  }

  function isFree(flow: Flow | undefined): boolean {
    return seated < seats() || ((flow?.seated ?? 0) === 0 && seated < 2 * most);
  }

  function wait(
    request: SeatRequest,
    signal: AbortSignal,
    refusal: (why: 'full' | 'late') => Error,
  ): Promise<() => void> {
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
      const gone = () => {
        leave();
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        leave();
        reject(refusal('late'));
      }, patienceMs);
      const waiter: Waiter = {
        request,
        seat() {
          const release = sit(request);
          leave();
          resolve(release);
        },
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
    const made: Flow = { seated: 0, waiting: 0, users: new Map() };
    flows.set(key, made);
    return made;
  }

  /** Who has no seat and waits for none takes no memory. */
  function forget(request: SeatRequest, flow: Flow, user: User): void {
    if (user.seated === 0 && user.queue.size === 0) flow.users.delete(request.user);
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
      if ((flow?.waiting ?? 0) >= request.waiting) throw refusal('full');
      return wait(request, signal, refusal);
    },
    usage(key, user) {
      const flow = flows.get(key);
      const requestsOfUser = flow?.users.get(user)?.seated ?? 0;
      return { requests: flow?.seated ?? 0, requestsOfUser, waiting: flow?.waiting ?? 0 };
    },
    more: seatNext,
  };
}

function hasRoom({ ofFlow, ofUser }: SeatRequest, flow: Flow | undefined, user: User | undefined): boolean {
  return (flow?.seated ?? 0) < ofFlow && (user?.seated ?? 0) < ofUser;
}

function userOf(flow: Flow, { user: key }: SeatRequest): User {
  const known = flow.users.get(key);
  if (known !== undefined) return known;
  const made: User = { seated: 0, queue: new Set() };
  flow.users.set(key, made);
  return made;
}
