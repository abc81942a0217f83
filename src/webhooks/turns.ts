/** How many calls of one tenant go on at once. More wait for their turn, in order, for as long as their own time lasts. */
export class Turns {
  readonly #most: number;
  readonly #queues = new Map<string, { active: number; readonly waiting: Array<() => void> }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** @throws the signal's reason, when it fires before the turn comes */
  async run<T>(tenant: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(tenant, signal);
    try {
      return await work();
    } finally {
      this.#leave(tenant);
    }
  }

  async #enter(tenant: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const queue = this.#queues.get(tenant) ?? { active: 0, waiting: [] };
    this.#queues.set(tenant, queue);
    if (queue.active < this.#most) {
      queue.active += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => {
      const at = queue.waiting.indexOf(resolve);
      if (at < 0) return;
      queue.waiting.splice(at, 1);
      reject(signal.reason);
    };
    queue.waiting.push(resolve);
    signal.addEventListener('abort', stop, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', stop));
  }

  /** The place goes to who has waited longest. */
  #leave(tenant: string): void {
    const queue = this.#queues.get(tenant);
    if (queue === undefined) return;
    const next = queue.waiting.shift();
    if (next !== undefined) next();
    else {
      queue.active -= 1;
      if (queue.active === 0) this.#queues.delete(tenant);
    }
  }
}
