import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { ResourceInfo } from '../exchange.ts';
import type { Kind, KindAtVersion, Verb } from '../kinds/kind.ts';
import type { TenantName } from '../tenancy/names.ts';
import { checkOffered } from './offer.ts';

const ALL: Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

function kind(part: Partial<Kind>): KindAtVersion {
  const subresources = { status: { verbs: ['get', 'update', 'patch'] }, eviction: { verbs: ['create'] } } as const;
  return { kind: { namespaced: true, verbs: ALL, subresources, ...part } } as unknown as KindAtVersion;
}

const KINDS = {
  pods: kind({}),
  nodes: kind({ namespaced: false, verbs: ['get', 'list', 'watch'] }),
  namespaces: kind({ namespaced: false, verbs: ALL.filter((verb) => verb !== 'deletecollection') }),
  reviews: kind({ namespaced: false, verbs: ['create'], subresources: {} }),
};

type Where = 'one' | 'all' | 'object' | 'bare-object' | 'status' | 'eviction' | 'constructor';

function info(verb: Verb, where: Where, namespaced: boolean): ResourceInfo {
  const ofOne = where !== 'one' && where !== 'all';
  const inNamespace = where !== 'all' && where !== 'bare-object' && namespaced;
  return {
    isResource: true,
    verb,
    group: '',
    version: 'v1',
    resource: 'x',
    subresource: ['status', 'eviction', 'constructor'].includes(where) ? where : '',
    rest: [],
    namespace: inNamespace ? ('web' as TenantName) : '',
    name: ofOne ? 'a' : '',
    query: new Map(),
    claimed: undefined,
  };
}

function answer(name: keyof typeof KINDS, verb: Verb, where: Where): number {
  try {
    checkOffered(KINDS[name], info(verb, where, KINDS[name].kind.namespaced));
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

describe('checkOffered', () => {
  // Each answer seen with kube-apiserver 1.36.3, as an administrator.
  const cases: [name: keyof typeof KINDS, verb: Verb, where: Where, status: number][] = [
    ['pods', 'list', 'one', 200],
    ['pods', 'create', 'one', 200],
    ['pods', 'deletecollection', 'one', 200],
    ['pods', 'update', 'one', 405],
    ['pods', 'patch', 'one', 405],
    ['pods', 'list', 'all', 200],
    ['pods', 'watch', 'all', 200],
    ['pods', 'create', 'all', 405],
    ['pods', 'deletecollection', 'all', 405],
    ['pods', 'get', 'object', 200],
    ['pods', 'delete', 'object', 200],
    ['pods', 'create', 'object', 405],
    ['pods', 'get', 'bare-object', 404],
    ['pods', 'patch', 'bare-object', 404],
    ['pods', 'update', 'status', 200],
    ['pods', 'create', 'status', 405],
    ['pods', 'delete', 'status', 405],
    ['pods', 'create', 'eviction', 200],
    ['pods', 'get', 'eviction', 405],
    ['pods', 'get', 'constructor', 404],
    ['nodes', 'list', 'one', 200],
    ['nodes', 'get', 'object', 200],
    ['nodes', 'delete', 'object', 405],
    ['nodes', 'create', 'one', 405],
    ['namespaces', 'deletecollection', 'one', 405],
    ['reviews', 'create', 'one', 200],
    ['reviews', 'list', 'one', 405],
    ['reviews', 'delete', 'object', 404],
    ['reviews', 'get', 'object', 404],
  ];
  it.each(cases)('%s: %s of %s is %i', (name, verb, where, status) => {
    expect(answer(name, verb, where)).toBe(status);
  });

  it('is 404 for a kind that is not there, and for a cluster-scoped one in a namespace', () => {
    const notFound = expect.objectContaining({
      status: 404,
      message: 'the server could not find the requested resource',
    });
    expect(() => checkOffered(undefined, info('list', 'one', true))).toThrow(notFound);
    expect(() => checkOffered(KINDS.nodes, info('list', 'one', true))).toThrow(notFound);
    expect(checkOffered(KINDS.pods, info('list', 'one', true))).toBe(KINDS.pods);
  });

  it('says of what is listed and cannot be followed that it cannot', () => {
    const measured = { ...KINDS.pods, kind: { ...KINDS.pods.kind, verbs: ['get', 'list'] as const } };
    expect(() => checkOffered(measured, info('watch', 'one', true))).toThrow(
      expect.objectContaining({
        status: 405,
        message: expect.stringMatching(/^watch is not supported on resources of kind/),
      }),
    );
    expect(checkOffered(measured, info('list', 'one', true))).toBe(measured);
  });

  describe('of what an adapter measures', () => {
    const at = kind({ verbs: ['get'], byMetric: ['v1beta2'] });
    const METRIC = { ...info('get', 'object', true), resource: 'pods', name: 'a', subresource: 'requests' };
    const OF_NAMESPACE = { ...METRIC, resource: 'metrics', name: 'requests', subresource: '' };
    it.each([
      [{}, 200],
      [{ name: '*' }, 200],
      [OF_NAMESPACE, 200],
      [{ verb: 'create' }, 405],
      [{ verb: 'patch' }, 405],
      [{ verb: 'list', name: '', subresource: '' }, 404],
      [{ subresource: '' }, 404],
      [{ namespace: '' }, 404],
      [{ ...OF_NAMESPACE, namespace: '' }, 404],
      [{ ...OF_NAMESPACE, verb: 'list', name: '' }, 404],
    ] as [Partial<ResourceInfo>, number][])('%o is %i', (part, status) => {
      const check = () => checkOffered(at, { ...METRIC, ...part });
      if (status === 200) expect(check()).toBe(at);
      else expect(check).toThrow(expect.objectContaining({ status }));
    });
  });

  it('lets a collection be pinned to one name', () => {
    expect(checkOffered(KINDS.pods, { ...info('watch', 'one', true), name: 'a' })).toBe(KINDS.pods);
    expect(checkOffered(KINDS.pods, { ...info('list', 'all', true), name: 'a' })).toBe(KINDS.pods);
  });
});
