import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { Identity } from '../exchange.ts';
import type { PolicyRule } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Authorizer, GrantedWrite } from '../ports.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createGrantGuard } from './escalation.ts';

const ALICE: Identity = { username: 'alice', groups: ['devs'], uid: '', extra: {} };
const PODS: PolicyRule = {
  verbs: ['get'],
  apiGroups: [''],
  resources: ['pods'],
  resourceNames: [],
  nonResourceURLs: [],
};
const SECRETS = { ...PODS, resources: ['secrets'] };
const ALL = [
  { ...PODS, verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { ...PODS, verbs: ['*'], apiGroups: [], resources: [], nonResourceURLs: ['*'] },
];

/** What alice holds: rules, and rights to `verb resource name`. The one role there is grants `granted`. */
async function check(write: Partial<GrantedWrite>, has: { rules?: PolicyRule[]; may?: string; who?: Identity } = {}) {
  const authorizer: Authorizer = {
    decide: (_tenant, _who, asked) => ({
      allowed: asked.isResource && `${asked.verb} ${asked.resource} ${asked.namespace} ${asked.name}` === has.may,
      reason: '',
    }),
    rulesFor: () => ({
      granted: [(has.rules ?? [PODS]).map((rule) => ({ rule }))],
      errors: ['clusterrole.rbac "y" not found'],
    }),
    roleRules: (_tenant, { name }) => (name === 'secrets' ? [SECRETS] : `role "${name}" not found`),
  };
  const whole = { resource: 'roles', namespace: 'web', name: '', object: {}, previous: undefined, ...write };
  try {
    const guard = createGrantGuard(authorizer, async (_tenant, _signal, step) => step());
    await guard.check({} as Tenant, has.who ?? ALICE, whole, new AbortController().signal);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
function role(rules: readonly PolicyRule[], rest: JsonObject = {}): JsonObject {
  return { kind: 'Role', metadata: { name: 'r' }, rules: rules as unknown as JsonObject[], ...rest };
}
function binding(name: string, kind = 'Role'): JsonObject {
  return { kind: 'RoleBinding', metadata: { name: 'b' }, roleRef: { kind, name } };
}
const AGGREGATION = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };

describe('who writes a role', () => {
  it('grants what they hold, and nothing else', async () => {
    expect(await check({ object: role([PODS]) })).toBeUndefined();
    expect(await check({ object: role([PODS, SECRETS]) })).toMatchObject({
      status: 403,
      message:
        'roles.rbac.authorization.k8s.io "r" is forbidden: user "alice" (groups=["devs"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}; resolution errors: [roles.rbac "y" not found]',
      details: { name: 'r', group: 'rbac.authorization.k8s.io', kind: 'roles' },
    });
  });

  it('may all by escalate, by the name in the URL, and as a member of system:masters', async () => {
    const object = role([SECRETS]);
    expect(await check({ object, name: 'r' }, { may: 'escalate roles web r' })).toBeUndefined();
    expect(await check({ object, name: '' }, { may: 'escalate roles web r' })).toMatchObject({ status: 403 });
    expect(await check({ object }, { who: { ...ALICE, groups: ['system:masters'] } })).toBeUndefined();
  });

  it('takes all rights to write an aggregation rule, or to take one away', async () => {
    const cluster = { resource: 'clusterroles', namespace: '' };
    expect(await check({ ...cluster, object: role([], AGGREGATION) })).toMatchObject({
      status: 403,
      message:
        'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    });
    const previous = role([], AGGREGATION);
    expect(await check({ ...cluster, name: 'r', object: role([]), previous })).toMatchObject({ status: 403 });
    expect(await check({ ...cluster, object: role([], AGGREGATION) }, { rules: ALL })).toBeUndefined();
  });

  it('lets the garbage collector take out finalizers and owners of a role that it does not hold', async () => {
    const previous = role([SECRETS], { metadata: { name: 'r', finalizers: ['x'], ownerReferences: [{ uid: '1' }] } });
    const object = role([SECRETS]);
    expect(await check({ name: 'r', object, previous })).toBeUndefined();
    const other = role([SECRETS], { metadata: { name: 'r', labels: { a: 'b' } } });
    expect(await check({ name: 'r', object: other, previous })).toMatchObject({ status: 403 });
  });

  it('of more rights than can be weighed is refused at once', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `x${at}`);
    const rule = { ...PODS, verbs: many, resources: many, apiGroups: many };
    expect(await check({ object: role([rule]) })).toMatchObject({
      status: 403,
      message: expect.stringContaining('split'),
    });
  });
});

describe('who writes a binding', () => {
  const at = { resource: 'rolebindings' };
  it('gives a role whose rights they hold, or that they may bind', async () => {
    const object = binding('secrets');
    expect(await check({ ...at, object })).toMatchObject({
      status: 403,
      message: expect.stringContaining('rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "alice"'),
    });
    expect(await check({ ...at, object }, { rules: [SECRETS] })).toBeUndefined();
    expect(await check({ ...at, object }, { may: 'bind roles web secrets' })).toBeUndefined();
    expect(
      await check({ ...at, object: binding('secrets', 'ClusterRole') }, { may: 'bind clusterroles web secrets' }),
    ).toBe(undefined);
  });

  it('of a role that is not there is told so', async () => {
    expect(await check({ ...at, object: binding('none') })).toMatchObject({
      status: 404,
      message: 'rolebindings.rbac.authorization.k8s.io "none" not found',
    });
    expect(await check({ ...at, object: binding('none') }, { may: 'bind roles web none' })).toBeUndefined();
  });

  it('of what is no role is refused as invalid', async () => {
    expect(await check({ ...at, object: binding('x', 'Pod') })).toMatchObject({ status: 422 });
  });
});
