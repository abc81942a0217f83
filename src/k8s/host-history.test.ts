import { expect, it } from 'vitest';
import { HostHistory } from './host-history.ts';

it('counts and tells a restore once, whoever else finds it', () => {
  const history = new HostHistory();
  let told = 0;
  const unsubscribe = history.subscribe(() => (told += 1));
  const known = history.restores;
  history.foundRestored(known);
  history.foundRestored(known);
  expect([history.restores, told]).toEqual([1, 1]);
  history.foundRestored(history.restores);
  expect([history.restores, told]).toEqual([2, 2]);
  unsubscribe();
  history.foundRestored(history.restores);
  expect([history.restores, told]).toEqual([3, 2]);
});
