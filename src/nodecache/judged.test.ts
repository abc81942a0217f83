import { expect, it } from 'vitest';
import { judged, type Verdict } from './judged.ts';
import { JUDGED_AGAIN_MS } from './limits.ts';

/** A watch of three events, a minute after each other. @param verdicts in the order in which they are asked for */
async function watched(...verdicts: Verdict[]): Promise<{ told: string[]; asked: number }> {
  const clock = { nowMs: 0 };
  let asked = 0;
  async function* events() {
    for (const event of ['first', 'second', 'third']) {
      yield event;
      clock.nowMs += JUDGED_AGAIN_MS;
    }
  }
  const told: string[] = [];
  const judge = async (): Promise<Verdict> => {
    asked += 1;
    return verdicts.shift() ?? 'no';
  };
  const { signal } = new AbortController();
  for await (const event of judged(events(), { judge, nowMs: () => clock.nowMs, signal })) told.push(event);
  return { told, asked };
}

it('goes on while the right holds, which is looked at once a minute', async () => {
  expect(await watched('yes', 'yes')).toEqual({ told: ['first', 'second', 'third'], asked: 2 });
});

it('tells nothing more once the right is gone', async () => {
  expect(await watched('yes', 'no')).toEqual({ told: ['first', 'second'], asked: 2 });
  expect(await watched('no')).toEqual({ told: ['first'], asked: 1 });
});

it('waits where the right is not known, and goes on when it is', async () => {
  expect(await watched('unknown', 'yes', 'yes')).toEqual({ told: ['first', 'second', 'third'], asked: 3 });
  expect(await watched('unknown', 'no')).toEqual({ told: ['first'], asked: 2 });
});
