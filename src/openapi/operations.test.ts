import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { withOperations } from './operations.ts';

function item(operations: Readonly<Record<string, string>>): JsonObject {
  const entries = Object.entries(operations).map(([method, action]) => [method, { 'x-kubernetes-action': action }]);
  return { ...Object.fromEntries(entries), parameters: [{ name: 'pretty' }] };
}

const COLLECTION = item({ get: 'list', post: 'post', delete: 'deletecollection' });

describe('the operations of a path', () => {
  it('are those of the verbs that are offered', () => {
    expect(withOperations(COLLECTION, ['get', 'list'])).toEqual(item({ get: 'list' }));
    expect(withOperations(COLLECTION, ['create', 'deletecollection'])).toEqual(
      item({ post: 'post', delete: 'deletecollection' }),
    );
    const one = item({ get: 'get', put: 'put', patch: 'patch', delete: 'delete' });
    expect(withOperations(one, ['get', 'update', 'patch', 'delete'])).toEqual(one);
    expect(withOperations(one, ['update'])).toEqual(item({ put: 'put' }));
  });

  it.each(['watch', 'watchlist'])('has none left that are all of %s', (action) => {
    expect(withOperations(item({ get: action }), ['get', 'list'])).toBeUndefined();
    expect(withOperations(item({ get: action }), ['watch'])).toEqual(item({ get: action }));
  });

  it('are all of them where they connect', () => {
    const exec = item({ get: 'connect', post: 'connect' });
    expect(withOperations(exec, ['create'])).toEqual(exec);
  });
});
