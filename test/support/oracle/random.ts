/** Numbers that are the same for the same seed, so that a run that failed can be looked at again. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  // @see https://prng.di.unimi.it/ (splitmix32)
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
