import { describe, expect, it } from 'vitest';
import { Breaker } from './breaker.ts';

describe('a webhook', () => {
  const world = { nowMs: 0 };
  const hanging = (times: number): Breaker => {
    const breaker = new Breaker(() => world.nowMs);
    for (let time = 0; time < times; time += 1) breaker.timedOut('a');
    return breaker;
  };

  it('is asked while it now and then does not answer', () => {
    const breaker = hanging(4);
    expect(breaker.mayAsk('a')).toBe(true);
    breaker.answered('a');
    for (let time = 0; time < 4; time += 1) breaker.timedOut('a');
    expect(breaker.mayAsk('a')).toBe(true);
  });

  it('that hangs is left alone, and nobody else is', () => {
    const breaker = hanging(5);
    expect(breaker.mayAsk('a')).toBe(false);
    expect(breaker.mayAsk('b')).toBe(true);
  });

  it('is asked once after a while, and again as always when it answers', () => {
    const breaker = hanging(5);
    world.nowMs += 5_000;
    expect([breaker.mayAsk('a'), breaker.mayAsk('a')]).toEqual([true, false]);
    breaker.answered('a');
    expect([breaker.mayAsk('a'), breaker.mayAsk('a')]).toEqual([true, true]);
  });
});
