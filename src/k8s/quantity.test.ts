import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalQuantity, parseQuantity, wholeQuantity } from './quantity.ts';

describe('amounts', () => {
  it.each([
    ['1', '1'],
    ['1000', '1k'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['0.5', '500m'],
    ['1.5Gi', '1536Mi'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1Ki', '1Ki'],
    ['0.5Ki', '512'],
    ['512Mi', '512Mi'],
    ['1e3', '1e3'],
    ['1500e0', '1500'],
    ['1000e0', '1e3'],
    ['2E', '2E'],
    ['0', '0'],
    ['0Gi', '0'],
    ['-5m', '-5m'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['+3', '3'],
    ['nonsense', 'nonsense'],
  ])('%s are given back as %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it.each(['', 'x', '1.2.3', '1Kx', '1 Ki', '--1', '1'.repeat(1_001)])('are none: %s', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it('are the same amount when they are given back', () => {
    const suffix = fc.constantFrom('', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3', 'E2');
    const written = fc.tuple(fc.integer({ min: -5_000, max: 5_000 }), suffix).map(([n, unit]) => `${n}${unit}`);
    fc.assert(
      fc.property(written, (text) => {
        const canonical = canonicalQuantity(text);
        expect(parseQuantity(canonical)).toBe(parseQuantity(text));
        expect(canonicalQuantity(canonical)).toBe(canonical);
      }),
    );
  });

  it('are rounded up where they must be whole', () => {
    expect([1_500_000_000n, 1_000_000_000n, -1_500_000_000n].map(wholeQuantity)).toEqual([2n, 1n, -2n]);
  });
});
