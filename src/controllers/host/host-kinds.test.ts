import { describe, expect, it } from 'vitest';
import { served } from './host-kinds.ts';

const versions = new Map([
  ['', new Map([['v1', new Set(['configmaps', 'pods'])]])],
  [
    'apps',
    new Map([
      ['v1', new Set(['deployments'])],
      ['v1beta1', new Set(['deployments', 'olds'])],
    ]),
  ],
]);

describe('where tenants’ kinds are found', () => {
  it('is the first version that serves them', () => {
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'delete'] },
      { apiGroups: ['apps'], resources: ['deployments', 'olds'], verbs: ['delete'] },
    ];
    expect(served(rules, versions)).toEqual([
      { root: '/api/v1', resource: 'configmaps' },
      { root: '/apis/apps/v1', resource: 'deployments' },
      { root: '/apis/apps/v1beta1', resource: 'olds' },
    ]);
  });
  it('leaves out what the host does not serve, and what cannot be deleted', () => {
    const rules = [
      { apiGroups: ['', 'example.com'], resources: ['secrets'], verbs: ['delete'] },
      { apiGroups: [''], resources: ['pods/exec', 'pods'], verbs: ['create'] },
      { nonResourceURLs: ['/version'], verbs: ['get'] },
    ];
    expect(served(rules, versions)).toEqual([]);
  });
});
