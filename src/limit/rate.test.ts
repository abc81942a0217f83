import { expect, it } from 'vitest';
import { createRates } from './rate.ts';

it('a rate is held over time, and two seconds of it may come at once', () => {
  let now = 0;
  const rates = createRates(() => now);
  const taken = (count: number) => Array.from({ length: count }, () => rates.take('a', 10)).filter(Boolean).length;
  expect(taken(50)).toBe(20);
  now += 500;
  expect(taken(50)).toBe(5);
  now += 60_000;
  expect(taken(50)).toBe(20);
  now -= 60_000;
  expect(taken(50)).toBe(0);
  expect(rates.take('b', 10)).toBe(true);
});

it('who has not asked for a while takes no memory', () => {
  let now = 0;
  const rates = createRates(() => now);
  for (let index = 0; index < 900; index += 1) rates.take(`old ${index}`, 10);
  now += 10_000;
  for (let index = 0; index < 200; index += 1) rates.take(`new ${index}`, 10);
  expect(rates.size).toBeLessThanOrEqual(200);
});
