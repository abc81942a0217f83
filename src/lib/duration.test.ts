import { describe, expect, it } from 'vitest';
import { durationWithin, parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['90s', 90_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['7d', 7 * 86_400_000],
    ['0s', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '30', '-1s', '1 h', '1w', '1h ', 's', '1e3s'])('reads no duration in %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('durationWithin', () => {
  it.each(['1m', '2h', '30d'])('takes %s between one minute and thirty days', (text) => {
    expect(durationWithin(text, '1m', '30d')).toEqual({ ms: parseDuration(text) });
  });

  it.each(['59s', '31d', '5', 'soon'])('refuses %s and says what it takes', (text) => {
    expect(durationWithin(text, '1m', '30d')).toEqual({ problem: expect.stringContaining('from 1m to 30d') });
  });
});
