import { describe, expect, it } from 'vitest';
import { inTurns, Pace, type Steps } from './turns.ts';

function* work(units: number): Steps<string> {
  const pace = new Pace();
  for (let at = 0; at < units; at += 1) if (pace.spend(1)) yield;
  return 'done';
}

describe('work in steps', () => {
  it('that is short is done at once', async () => {
    expect(await inTurns(work(100), () => Promise.reject(new Error('not its turn')))).toBe('done');
  });

  it('that is long waits for its turn before each step but the first', async () => {
    let turns = 0;
    const turn = async <S>(step: () => S): Promise<S> => {
      turns += 1;
      return step();
    };
    expect(await inTurns(work(9_000), turn)).toBe('done');
    expect(turns).toBe(2);
  });

  it('ends with the first turn that does not come', async () => {
    const late = new Error('late');
    await expect(inTurns(work(9_000), () => Promise.reject(late))).rejects.toBe(late);
  });
});
