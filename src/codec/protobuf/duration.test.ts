import { describe, expect, it } from 'vitest';
import { durationToText, textToDuration } from './duration.ts';

describe('durations', () => {
  it.each([
    [0n, '0s'],
    [1n, '1ns'],
    [1_100n, '1.1µs'],
    [2_200_000n, '2.2ms'],
    [999_999_999n, '999.999999ms'],
    [1_000_000_000n, '1s'],
    [20_100_000_000n, '20.1s'],
    [60_000_000_000n, '1m0s'],
    [61_000_000_001n, '1m1.000000001s'],
    [3_600_000_000_000n, '1h0m0s'],
    [360_000_000_000_000n, '100h0m0s'],
    [-1_500_000_000n, '-1.5s'],
    [-(2n ** 63n), '-2562047h47m16.854775808s'],
    [2n ** 63n - 1n, '2562047h47m16.854775807s'],
  ])('%s ns are %s', (nanos, text) => {
    expect(durationToText(nanos)).toBe(text);
    expect(textToDuration(text)).toBe(nanos);
  });

  it.each([
    ['0', 0n],
    ['+.5s', 500_000_000n],
    ['1.s', 1_000_000_000n],
    ['1us2μs', 3_000n],
    ['1m1h', 3_660_000_000_000n],
  ])('%s are written otherwise, too', (text, nanos) => {
    expect(textToDuration(text)).toBe(nanos);
  });

  it.each(['', '1', 's', '.s', '1d', '1 s', '1s ', '-', '2562048h', '1e3s', 'x1s'])('%j is none', (text) => {
    expect(textToDuration(text)).toBeUndefined();
  });
});
