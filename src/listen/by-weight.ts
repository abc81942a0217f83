/**
 * Things by a number of theirs that goes up and down by steps, to find one that has the most. Things of the same number are
 * kept together, so that as many looks are needed as there are different numbers: where these add up to n, about √(2n).
 */
export class ByWeight<T> {
  readonly #weights = new Map<T, number>();
  /** Those with so much; who came to it first comes first. */
  readonly #ofWeight = new Map<number, Set<T>>();

  get(thing: T): number {
    return this.#weights.get(thing) ?? 0;
  }

  /** With 0 it is not among them any more. */
  set(thing: T, weight: number): void {
    const was = this.get(thing);
    if (was === weight) return;
    const before = this.#ofWeight.get(was);
    before?.delete(thing);
    if (before?.size === 0) this.#ofWeight.delete(was);
    if (weight === 0) {
      this.#weights.delete(thing);
      return;
    }
    this.#weights.set(thing, weight);
    const same = this.#ofWeight.get(weight) ?? new Set();
    this.#ofWeight.set(weight, same.add(thing));
  }

  /** One that has the most, of all but `except`. */
  heaviest(except?: T): T | undefined {
    let most = 0;
    let found: T | undefined;
    for (const [weight, things] of this.#ofWeight) {
      if (weight <= most) continue;
      const thing = Iterator.from(things).find((one) => one !== except);
      if (thing === undefined) continue;
      most = weight;
      found = thing;
    }
    return found;
  }
}
