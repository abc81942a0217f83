/**
 * Times on the edges of what RFC 3339 can write.
 */
import { describe, expect, it } from 'vitest';
import { isZeroTime, microTimeToText, textToTimestamp, timeToText } from './time.ts';

describe('times as text', () => {
  it.each([
    [0, '1970-01-01T00:00:00Z'],
    [-1, '1969-12-31T23:59:59Z'],
    [-62_135_596_800, null],
    [-62_135_596_799, '0001-01-01T00:00:01Z'],
    [-62_167_219_200, '0000-01-01T00:00:00Z'],
    [-62_167_219_201, undefined],
    [253_402_300_799, '9999-12-31T23:59:59Z'],
    [253_402_300_800, undefined],
    [2n ** 60n, undefined],
  ])('%s seconds are %s', (seconds, text) => {
    expect(timeToText(seconds)).toBe(text);
  });

  it.each([
    [0, 1_999, '1970-01-01T00:00:00.000001Z'],
    [0, -1, '1970-01-01T00:00:00.000000Z'],
    [0, -1_000, '1969-12-31T23:59:59.999999Z'],
    [5, 2_000_000_000, '1970-01-01T00:00:07.000000Z'],
    [-62_135_596_800, 0, null],
    [-62_135_596_800, 1_000, '0001-01-01T00:00:00.000001Z'],
    [2n ** 60n, 0, undefined],
  ])('%s seconds and %i ns are %s', (seconds, nanos, text) => {
    expect(microTimeToText(seconds, nanos)).toBe(text);
  });
});

describe('text as time', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0, 0],
    ['1970-01-01T02:00:00+01:00', 3600, 0],
    ['1970-01-01T00:00:00.1234567Z', 0, 123_456_000],
    ['1969-12-31T23:59:59.5Z', -1, 500_000_000],
    ['0001-01-01T00:00:00Z', -62_135_596_800, 0],
  ])('%s', (text, seconds, nanos) => {
    expect(textToTimestamp(text)).toEqual({ seconds, nanos });
  });

  it.each(['', 'now', '1970-01-01', '1970-01-01T00:00:00', '1970-13-01T00:00:00Z', '1970-01-01T00:00:00.Z'])(
    '%j is no time',
    (text) => {
      expect(textToTimestamp(text)).toBeUndefined();
    },
  );

  it('knows the zero time', () => {
    expect(isZeroTime({ seconds: -62_135_596_800, nanos: 0 })).toBe(true);
    expect(isZeroTime({ seconds: 0, nanos: 0 })).toBe(false);
  });
});
