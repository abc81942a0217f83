import { describe, expect, it } from 'vitest';
import { coalesce } from './coalesce.ts';

describe('coalesced runs', () => {
  it('are one for many who ask together, and one more for those who ask during it', async () => {
    let runs = 0;
    const open: Array<() => void> = [];
    const ask = coalesce(() => {
      runs += 1;
      return new Promise((resolve) => open.push(resolve));
    });
    const first = [ask(), ask(), ask()];
    await Promise.resolve();
    await Promise.resolve();
    expect(runs).toBe(1);
    const second = [ask(), ask()];
    open.shift()?.();
    await Promise.all(first);
    await Promise.resolve();
    await Promise.resolve();
    expect(runs).toBe(2);
    open.shift()?.();
    await Promise.all(second);
    expect(runs).toBe(2);
  });

  it('go on after one has failed', async () => {
    let fail = true;
    const ask = coalesce(async () => {
      if (fail) throw new Error('no');
    });
    await expect(ask()).rejects.toThrow('no');
    fail = false;
    await expect(ask()).resolves.toBeUndefined();
  });
});
