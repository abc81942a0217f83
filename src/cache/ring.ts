/**
 * The last changes of a collection, in their order. Whoever reads holds a place in it and nothing else, so a reader that
 * does not read costs nothing; what is dropped at the old end is dropped for all, and who stood there has to begin anew.
 */

export interface RingLimits {
  readonly bytes: number;
  readonly ageMs: number;
}

interface Entry<T> {
  readonly value: T;
  readonly version: string;
  readonly bytes: number;
  readonly atMs: number;
}

export class Ring<T> {
  readonly #limits: RingLimits;
  readonly #nowMs: () => number;
  readonly #entries: Entry<T>[] = [];
  /** Place of the oldest entry: places only ever grow. */
  #first = 0;
  #bytes = 0;
  #floor: string;

  /** @param floor the revision from which on every change will be here */
  constructor(floor: string, limits: RingLimits, nowMs: () => number) {
    this.#floor = floor;
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** Every change that is newer than this is here. */
  get floor(): string {
    return this.#floor;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The oldest place that can still be read. */
  get first(): number {
    return this.#first;
  }

  /** The place that the next change will have. */
  get end(): number {
    return this.#first + this.#entries.length;
  }

  append(value: T, version: string, bytes: number): void {
    this.#entries.push({ value, version, bytes, atMs: this.#nowMs() });
    this.#bytes += bytes;
    this.trim();
  }

  /** Drops what is too old or too much; the newest change always stays. */
  trim(): void {
    const oldestMs = this.#nowMs() - this.#limits.ageMs;
    let drop = 0;
    while (drop < this.#entries.length - 1) {
      const entry = this.#entries[drop] as Entry<T>;
      if (this.#bytes <= this.#limits.bytes && entry.atMs >= oldestMs) break;
      this.#bytes -= entry.bytes;
      this.#floor = entry.version;
      drop += 1;
    }
    if (drop === 0) return;
    this.#entries.splice(0, drop);
    this.#first += drop;
  }

  /** Undefined when there is none yet. The place must not be older than `first`. */
  get(place: number): T | undefined {
    return this.#entries[place - this.#first]?.value;
  }

  /** Place of the first change that is newer; the end when there is none. */
  after(version: string, compare: (a: string, b: string) => number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare((this.#entries[middle] as Entry<T>).version, version) > 0) high = middle;
      else low = middle + 1;
    }
    return this.#first + low;
  }
}
