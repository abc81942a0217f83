import { describe, expect, it } from 'vitest';
import { median, percentile, slope } from './statistics.ts';

describe('median', () => {
  it.each([
    [[7], 7],
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    // As numbers, not as text.
    [[10, 9, 100], 10],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('of nothing is refused', () => {
    expect(() => median([])).toThrow(RangeError);
  });

  it('leaves the values in their order', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe('percentile', () => {
  const hundred = Array.from({ length: 101 }, (_, index) => index);

  it.each([
    [0, 0],
    [50, 50],
    [99, 99],
    [99.5, 99.5],
    [100, 100],
  ])('%d of 0 to 100 is %d', (percent, expected) => {
    expect(percentile(hundred, percent)).toBeCloseTo(expected, 9);
  });

  it('lies between the two nearest values', () => {
    expect(percentile([10, 20], 25)).toBe(12.5);
  });

  it.each([-1, 101, Number.NaN])('%d is refused', (percent) => {
    expect(() => percentile(hundred, percent)).toThrow(RangeError);
  });
});

describe('slope', () => {
  it('is what one more adds', () => {
    expect(
      slope([
        [0, 5],
        [10, 25],
        [20, 45],
      ]),
    ).toBe(2);
  });

  it('is not moved by one wild point', () => {
    const straight = Array.from({ length: 9 }, (_, index) => [index, index * 3] as const);
    expect(slope([...straight, [9, 100_000]])).toBe(3);
  });

  it('of points at one place is refused', () => {
    expect(() =>
      slope([
        [1, 2],
        [1, 3],
      ]),
    ).toThrow(RangeError);
    expect(() => slope([])).toThrow(RangeError);
  });
});
