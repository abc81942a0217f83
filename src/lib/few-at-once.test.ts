import { describe, expect, it } from 'vitest';
import { fewAtOnce } from './few-at-once.ts';

describe('many things, a few at once', () => {
  it('are made in their order, and no more at once than may be', async () => {
    let [open, most] = [0, 0];
    const made = await fewAtOnce([5, 1, 3, 2, 4], 2, async (value) => {
      open += 1;
      most = Math.max(most, open);
      for (let turn = 0; turn < value; turn += 1) await Promise.resolve();
      open -= 1;
      return value * 10;
    });
    expect(made).toEqual([50, 10, 30, 20, 40]);
    expect(most).toBe(2);
  });

  it('are nothing where there is nothing', async () => {
    expect(await fewAtOnce([], 3, async () => 1)).toEqual([]);
  });

  it('are left when one fails', async () => {
    const begun: number[] = [];
    const work = fewAtOnce([1, 2, 3, 4, 5, 6], 2, async (value) => {
      begun.push(value);
      await Promise.resolve();
      if (value === 2) throw new Error('two');
    });
    await expect(work).rejects.toThrow('two');
    await new Promise(setImmediate);
    expect(begun.length).toBeLessThan(6);
  });
});
