import { expect, it } from 'vitest';
import { byPriority } from './version-priority.ts';

it('orders versions as Kubernetes documents it', () => {
  const documented = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];
  expect([...documented].reverse().sort(byPriority)).toEqual(documented);
  expect(['v01', 'v1gamma1', 'v2'].sort(byPriority)).toEqual(['v2', 'v01', 'v1gamma1']);
});
