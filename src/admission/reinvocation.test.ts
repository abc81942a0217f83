import { expect, it } from 'vitest';
import { Reinvocation } from './reinvocation.ts';

/** Runs `a` and `b` in turn, of which `changing` change the object. @returns who ran in the second run */
async function second(changing: readonly string[], asking: readonly string[], between = false): Promise<string[]> {
  const reinvocation = new Reinvocation();
  const run = (): string[] =>
    ['a', 'b'].filter((key) => {
      if (!reinvocation.mayRun(key)) return false;
      if (reinvocation.round === 0 && changing.includes(key)) reinvocation.changed();
      if (asking.includes(key)) reinvocation.ran(key);
      return true;
    });
  expect(run()).toEqual(['a', 'b']);
  await reinvocation.leave(async () => ({ n: 1 }));
  reinvocation.again();
  await reinvocation.enter(async () => ({ n: between ? 2 : 1 }));
  return run();
}

it('runs again who asked for it and came before a change', async () => {
  expect(await second(['b'], ['a', 'b'])).toEqual(['a']);
});

it('runs nobody again who did not ask, or came after the last change', async () => {
  expect(await second(['b'], [])).toEqual([]);
  expect(await second(['a'], ['a', 'b'])).toEqual([]);
});

it('runs all again who asked, when others have changed the object since', async () => {
  expect(await second([], ['a', 'b'], true)).toEqual(['a', 'b']);
});
