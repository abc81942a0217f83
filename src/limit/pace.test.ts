import { describe, expect, it } from 'vitest';
import { createPace } from './pace.ts';

function pace() {
  let busy = 0;
  let tick = (): void => {};
  let more = 0;
  const made = createPace({
    most: 100,
    least: 8,
    onMore: () => more++,
    busy: () => busy,
    every(_periodMs, call) {
      tick = call;
      return () => {};
    },
  });
  return {
    /** So many periods, this busy. */
    after(times: number, now: number): number {
      busy = now;
      for (let at = 0; at < times; at++) tick();
      return made.seats;
    },
    get more() {
      return more;
    },
  };
}

describe('the number of requests that are served at once', () => {
  it('falls while the process is busy, down to the least', () => {
    const one = pace();
    expect(one.after(1, 1)).toBe(70);
    expect(one.after(1, 1)).toBe(49);
    expect(one.after(50, 0.95)).toBe(8);
    expect(one.more).toBe(0);
  });

  it('rises when it is not, up to the most, and says so', () => {
    const one = pace();
    one.after(50, 1);
    expect(one.after(1, 0.2)).toBe(11);
    expect(one.after(50, 0)).toBe(100);
    const told = one.more;
    expect(told).toBeGreaterThan(0);
    one.after(5, 0);
    expect(one.more).toBe(told);
  });

  it('stays in between', () => {
    const one = pace();
    one.after(3, 1);
    expect(one.after(10, 0.8)).toBe(one.after(10, 0.85));
  });
});

it('measures the thread that it runs in', async () => {
  let more = 0;
  using one = createPace({ most: 100, least: 8, onMore: () => more++ });
  while (one.seats === 100) {
    const untilMs = performance.now() + 150;
    while (performance.now() < untilMs) JSON.stringify({ busy: true });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => one.seats).toBe(100);
  expect(more).toBeGreaterThan(0);
});
