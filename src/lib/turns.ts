/**
 * Work that may be long, cut into steps: between two of them others have their turn. Written as a generator that yields
 * wherever it may be left for a while, and counts what it does to know when; no clock is asked, so a test can count too.
 */

export type Steps<T> = Generator<undefined, T, undefined>;

/** What is done in one step, in units of about a tenth of a microsecond: well below a millisecond. */
const UNITS = 4_000;

/** Counts the units of one piece of work. */
export class Pace {
  #left = UNITS;

  /** True when it is time to yield. */
  spend(units: number): boolean {
    this.#left -= units;
    if (this.#left > 0) return false;
    this.#left = UNITS;
    return true;
  }
}

/**
 * Takes step after step. The first is taken at once, so that short work waits for nothing.
 * @param turn runs the step when it is its turn. Its error ends the work
 */
export async function inTurns<T>(steps: Steps<T>, turn: <S>(step: () => S) => Promise<S>): Promise<T> {
  let at = steps.next();
  while (at.done !== true) at = await turn(() => steps.next());
  return at.value;
}
