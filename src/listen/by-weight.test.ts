import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByWeight } from './by-weight.ts';

it('finds one that has the most, whatever came before', () => {
  const change = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(3));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), fc.constantFrom('a', 'e'), (changes, except) => {
      const things = new ByWeight<string>();
      const known = new Map<string, number>();
      for (const [thing, weight] of changes) {
        things.set(thing, weight);
        known.set(thing, weight);
      }
      for (const [thing, weight] of known) expect(things.get(thing)).toBe(weight);
      const others = [...known].filter(([thing]) => thing !== except).map(([, weight]) => weight);
      const heaviest = things.heaviest(except);
      expect(heaviest === undefined ? 0 : things.get(heaviest)).toBe(Math.max(0, ...others));
      expect(heaviest).not.toBe(except);
    }),
  );
});

it('finds of those that have the same the one that has had it for longest', () => {
  const things = new ByWeight<string>();
  for (const thing of ['a', 'b', 'c']) things.set(thing, 1);
  things.set('a', 2);
  things.set('a', 1);
  expect(things.heaviest()).toBe('b');
  things.set('b', 0);
  expect(things.heaviest()).toBe('c');
});
