import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { RequestInfo, ResourceInfo } from '../exchange.ts';
import type { Authorizer } from '../ports.ts';
import type { TenantId, TenantName } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { attributesOf } from './attributes.ts';
import { authorize } from './authorize.ts';

const acme: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u',
  createdAt: '',
  phase: 'Active',
  clientCaPem: '',
  policy: 'default',
};
function info(part: Partial<ResourceInfo>): ResourceInfo {
  return {
    isResource: true,
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    rest: [],
    namespace: '',
    name: '',
    query: new Map(),
    claimed: undefined,
    ...part,
  };
}

describe('attributes of a request', () => {
  it('have the name that a list or watch is pinned to', () => {
    expect(attributesOf(info({ verb: 'list', name: 'one' }))).toMatchObject({ verb: 'list', name: 'one' });
    expect(attributesOf(info({ verb: 'watch' }))).toMatchObject({ verb: 'watch', name: '' });
  });
  it('a Namespace is in itself, any other cluster-scoped object nowhere', () => {
    expect(attributesOf(info({ resource: 'namespaces', name: 'web' }))).toMatchObject({
      namespace: 'web',
      name: 'web',
    });
    expect(attributesOf(info({ resource: 'nodes', name: 'web' }))).toMatchObject({ namespace: '', name: 'web' });
    expect(attributesOf(info({ resource: 'namespaces', verb: 'list' }))).toMatchObject({ namespace: '' });
  });
  // Asked of kube-apiserver 1.36: a RoleBinding in a namespace lets nobody list it among others, by whatever selector.
  it.each(['list', 'watch'] as const)('a %s of one Namespace is in none', (verb) => {
    const attributes = attributesOf(info({ resource: 'namespaces', verb, name: 'web' }));
    expect(attributes).toMatchObject({ namespace: '', name: 'web' });
  });
});

function only(groups: string[], reason = ''): Authorizer {
  return {
    decide: (_tenant, who) => ({ allowed: groups.some((group) => who.groups.includes(group)), reason }),
    rulesFor: () => ({ granted: [], errors: [] }),
    roleRules: () => [],
  };
}
function refusal(request: RequestInfo, username = 'alice', reason = ''): ApiError {
  try {
    authorize(only([], reason), acme, { username, groups: [], uid: '', extra: {} }, request);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error('was let through');
}

describe('the authorization stage', () => {
  it('lets pass what is allowed to the identity as it is given, and nothing else', () => {
    const alice = { username: 'alice', groups: ['devs'], uid: '', extra: {} };
    expect(() => authorize(only(['devs']), acme, alice, info({}))).not.toThrow();
    expect(() => authorize(only(['system:authenticated']), acme, alice, info({}))).toThrow(ApiError);
  });
  // Each text is what kube-apiserver 1.36 answers.
  it.each([
    [
      info({ group: 'apps', resource: 'deployments', subresource: 'status', namespace: 'x' as TenantName, name: 'y' }),
      'al"ice<',
      'deployments.apps "y" is forbidden: User "al\\"ice&lt;" cannot get resource "deployments/status" in API group "apps" in the namespace "x"',
      { name: 'y', group: 'apps', kind: 'deployments' },
    ],
    [
      info({ verb: 'list' }),
      'alice',
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope',
      { kind: 'pods' },
    ],
    [
      { isResource: false, verb: 'get', path: '/metrics', query: new Map(), claimed: undefined } as const,
      'alice',
      'forbidden: User "alice" cannot get path "/metrics"',
      {},
    ],
  ])('refuses %#', (request, user, message, details) => {
    const error = refusal(request, user);
    expect(error.code).toBe('ERR_FORBIDDEN');
    expect(error.message).toBe(message);
    expect(error.details).toEqual(details);
  });
  it('gives the reason', () => {
    expect(refusal(info({}), 'alice', 'RBAC: x').message).toMatch(/ at the cluster scope: RBAC: x$/);
  });
});
