import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { Identity } from '../exchange.ts';
import type { Attributes } from '../k8s/rbac.ts';
import type { Authorizer } from '../ports.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { impersonate } from './impersonate.ts';

const acme = { id: 'acme' as TenantId } as Tenant;
const SENDER: Identity = { username: 'alice', groups: ['devs'], uid: 'u', extra: { a: ['b'] } };
const INFO = parseRequestInfo('GET', '/api/v1/namespaces/web/pods');

/** Rights as `verb group/resource/subresource namespace name`, without what is empty. */
function right(asked: Attributes): string {
  if (!asked.isResource) return `${asked.verb} ${asked.path}`;
  const { verb, group, resource, subresource, namespace, name } = asked;
  const what = [group, resource, subresource].filter((part) => part !== '').join('/');
  return [verb, what, namespace, name].filter((part) => part !== '').join(' ');
}

function become(
  rights: readonly string[],
  headers: Record<string, string | string[]>,
  sender = SENDER,
): Identity | ApiError {
  const authorizer: Authorizer = {
    decide: (_tenant, _who, asked) => ({ allowed: rights.includes(right(asked)), reason: '' }),
    rulesFor: () => ({ granted: [], errors: [] }),
    roleRules: () => [],
  };
  const given = new Map(Object.entries(headers).map(([name, values]) => [`impersonate-${name}`, [values].flat()]));
  try {
    return impersonate(authorizer, acme, sender, given, INFO);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe('who asks to be somebody else', () => {
  it('and does not ask stays who they are', () => {
    expect(become([], {})).toBe(SENDER);
  });

  it('by the right to impersonate becomes them, with nothing of their own left', () => {
    expect(become(['impersonate users bob'], { user: 'bob' })).toEqual({
      username: 'bob',
      groups: ['system:authenticated'],
      uid: '',
      extra: {},
      impersonator: SENDER,
    });
  });

  it('needs the right to every group, to the uid, and to each value of extra', () => {
    const headers = { user: 'bob', group: ['ops', 'qa'], uid: '7', 'extra-x.dev%2fteam': ['a', 'b'] };
    const rights = [
      'impersonate users bob',
      'impersonate groups ops',
      'impersonate groups qa',
      'impersonate authentication.k8s.io/uids 7',
      'impersonate authentication.k8s.io/userextras/x.dev/team a',
      'impersonate authentication.k8s.io/userextras/x.dev/team b',
    ];
    expect(become(rights, headers)).toMatchObject({
      username: 'bob',
      groups: ['ops', 'qa', 'system:authenticated'],
      uid: '7',
      extra: { 'x.dev/team': ['a', 'b'] },
    });
    for (const missing of rights) {
      const fewer = rights.filter((one) => one !== missing);
      expect(become(fewer, headers), missing).toMatchObject({ status: 403 });
    }
  });

  it('gets the groups of a service account with it, unless groups are named', () => {
    const user = 'system:serviceaccount:web:bot';
    const rights = ['impersonate serviceaccounts web bot', 'impersonate groups ops'];
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:web', 'system:authenticated'];
    expect(become(rights, { user })).toMatchObject({ username: user, groups });
    expect(become(rights, { user, group: 'ops' })).toMatchObject({ groups: ['ops', 'system:authenticated'] });
    expect(become([`impersonate users ${user}`], { user })).toMatchObject({ status: 403 });
  });

  it('is nobody that is authenticated as system:anonymous', () => {
    const user = 'system:anonymous';
    expect(become([`impersonate users ${user}`], { user })).toMatchObject({ groups: ['system:unauthenticated'] });
  });

  it('by a constrained mode needs the right to the request as well', () => {
    const be = 'impersonate:user-info authentication.k8s.io/users bob';
    const on = 'impersonate-on:user-info:list pods web';
    expect(become([be, on], { user: 'bob' })).toMatchObject({ username: 'bob' });
    expect(become([be], { user: 'bob' })).toMatchObject({
      status: 403,
      message:
        'pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "web"',
    });
    expect(become([on], { user: 'bob' })).toMatchObject({ status: 403 });
    const masters = [be, on, 'impersonate:user-info authentication.k8s.io/groups system:masters'];
    expect(become(masters, { user: 'bob', group: 'system:masters' })).toMatchObject({ status: 403 });
  });

  it('as a node or a service account has a mode of its own', () => {
    const node = 'system:node:n1';
    const arbitrary = [
      'impersonate:arbitrary-node authentication.k8s.io/nodes n1',
      'impersonate-on:arbitrary-node:list pods web',
    ];
    expect(become(arbitrary, { user: node })).toMatchObject({ groups: ['system:nodes', 'system:authenticated'] });
    const associated = [
      'impersonate:associated-node authentication.k8s.io/nodes *',
      'impersonate-on:associated-node:list pods web',
    ];
    const daemon = {
      ...SENDER,
      username: 'system:serviceaccount:web:daemon',
      extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
    };
    expect(become(associated, { user: node }, daemon)).toMatchObject({ username: node });
    expect(become(associated, { user: 'system:node:n2' }, daemon)).toMatchObject({ status: 403 });
    const account = [
      'impersonate:serviceaccount authentication.k8s.io/serviceaccounts web bot',
      'impersonate-on:serviceaccount:list pods web',
    ];
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:web', 'system:authenticated'];
    expect(become(account, { user: 'system:serviceaccount:web:bot' })).toMatchObject({ groups });
  });

  it.each<[string, Record<string, string | string[]>]>([
    ['groups alone', { group: 'ops' }],
    ['a uid alone', { uid: '7' }],
    ['extra alone', { 'extra-a': 'b' }],
    ['nobody', { user: '' }],
    ['two users', { user: ['bob', 'carol'] }],
    ['what is nothing', { user: 'bob', role: 'admin' }],
  ])('asking for %s is answered with 400', (_what, headers) => {
    expect(become(['impersonate users bob', 'impersonate users carol'], headers)).toMatchObject({ status: 400 });
  });
});
