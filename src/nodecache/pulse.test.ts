import { beforeEach, expect, it } from 'vitest';
import { PULSE_MS } from '../cache/cache.ts';
import { together } from './pulse.ts';

let nowMs: number;
let silences: number;
let asked: string[];
let isThere: boolean;
let pulse: ReturnType<typeof together>;
beforeEach(() => {
  [nowMs, silences, asked, isThere] = [0, 0, [], true];
  pulse = together({ nowMs: () => nowMs, onSilence: () => (silences += 1) });
});

function ask(who: string): Promise<boolean> {
  return pulse(async () => {
    asked.push(who);
    return isThere;
  });
}

it('is felt by one for all', async () => {
  expect(await Promise.all([ask('a'), ask('b')])).toEqual([true, true]);
  nowMs += PULSE_MS / 2;
  expect(await ask('c')).toBe(true);
  expect(asked).toEqual(['a']);
});

it('is felt again each time that the same one looks, and by another where that one is gone', async () => {
  for (let round = 0; round < 3; round += 1) {
    await ask('a');
    nowMs += PULSE_MS / 2;
    await ask('b');
    nowMs += PULSE_MS / 2;
  }
  expect(asked).toEqual(['a', 'a', 'a']);
  nowMs += PULSE_MS / 2;
  await ask('b');
  expect(asked).toEqual(['a', 'a', 'a', 'b']);
});

it('tells everybody when it is lost, at once', async () => {
  isThere = false;
  expect(await Promise.all([ask('a'), ask('b')])).toEqual([false, false]);
  expect([asked, silences]).toEqual([['a'], 1]);
});
