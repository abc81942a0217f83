import { describe, expect, it } from 'vitest';
import { withEntries } from './meta.ts';

describe('a map with more in it', () => {
  it.each([undefined, null, {}])('is made where there is none: %j', (map) => {
    expect(withEntries(map, (given) => ({ ...given, a: 'b' }))).toEqual({ a: 'b' });
  });

  it.each([[[]], ['text'], [5], [true]])('is not made of what is none: %j', (map) => {
    expect(withEntries(map, (given) => ({ ...given, a: 'b' }))).toEqual(map);
  });
});
