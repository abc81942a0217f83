import { describe, expect, it } from 'vitest';
import { humanDuration } from './human-duration.ts';

const [S, M, H, D] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

describe('ages as Kubernetes prints them', () => {
  // As apimachinery's own duration_test.go has them.
  it.each([
    [-3 * S, '<invalid>'],
    [-1 * S, '0s'],
    [0, '0s'],
    [S - 1, '0s'],
    [S, '1s'],
    [2 * M - 1, '119s'],
    [2 * M, '2m'],
    [2 * M + S, '2m1s'],
    [10 * M - 1, '9m59s'],
    [10 * M + S, '10m'],
    [3 * H - 1, '179m'],
    [3 * H, '3h'],
    [3 * H + M, '3h1m'],
    [8 * H - 1, '7h59m'],
    [8 * H + M, '8h'],
    [2 * D - 1, '47h'],
    [2 * D, '2d'],
    [2 * D + H, '2d1h'],
    [8 * D - 1, '7d23h'],
    [8 * D + H, '8d'],
    [730 * D - 1, '729d'],
    [730 * D, '2y'],
    [731 * D, '2y1d'],
    [8 * 365 * D, '8y'],
    [8 * 365 * D + 364 * D, '8y'],
    [9 * 365 * D, '9y'],
  ])('%i ms is %s', (ms, text) => expect(humanDuration(ms)).toBe(text));
});
