import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import type { Authenticated, Identity } from '../exchange.ts';
import type { Attributes } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Authorizer } from '../ports.ts';
import type { TenantId, TenantName } from '../tenancy/names.ts';
import { type Tenant, tokenAudience } from '../tenancy/tenant.ts';
import { createReviewHandler } from './handlers.ts';
import { checkByAuthenticator } from './token-review.ts';

const acme: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u-1',
  createdAt: '',
  phase: 'Active',
  clientCaPem: '',
  policy: 'default',
};
const alice: Identity = { username: 'alice', groups: ['devs'], uid: '7', extra: { 'example.com/x': ['y'] } };
const bot: Authenticated = {
  identity: { username: 'system:serviceaccount:web:bot', groups: ['system:authenticated'], uid: '9', extra: {} },
  tenant: acme.id,
  tenantUid: acme.uid,
  how: 'service-account-token',
  expiresAtMs: 0,
};

/** Allows `get` to the group `devs` and to nobody else; remembers what it was asked. */
class Fake implements Authorizer {
  asked: [Identity, Attributes][] = [];
  decide(_tenant: Tenant, who: Identity, attributes: Attributes) {
    this.asked.push([who, attributes]);
    const allowed = who.groups.includes('devs') && attributes.verb === 'get';
    return { allowed, reason: allowed ? 'RBAC: allowed by x' : '' };
  }
  rulesFor(_tenant: Tenant, who: Identity, namespace: string) {
    const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
    const rules = [
      { ...none, verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [namespace] },
      { ...none, verbs: ['get'], nonResourceURLs: ['/api'] },
    ];
    return { granted: [rules.map((rule) => ({ rule }))], errors: who.groups.includes('devs') ? [] : ['a', 'b', 'a'] };
  }
  roleRules() {
    return [];
  }
}
const authenticate = async (token: string, _tenant: Tenant, wanted: readonly string[]): Promise<Authenticated> => {
  const vault = `${tokenAudience(acme)}/vault`;
  if (token === 'good') return bot;
  if (token === 'for-vault' && wanted.includes(vault)) return { ...bot, audiences: [vault] };
  if (token === 'foreign') return { ...bot, tenantUid: 'u-2' };
  if (token === 'down') throw new ApiError('ERR_UNAVAILABLE', 'down');
  throw new ApiError('ERR_UNAUTHORIZED', 'no');
};

async function ask(
  path: string,
  document: JsonObject | JsonObject[] | undefined,
  identity = alice,
  authorizer = new Fake(),
) {
  const [group = '', plural = '', namespace = ''] = path.split(' ');
  const [resource = '', subresource = ''] = plural.split('/');
  const checkToken = checkByAuthenticator(authenticate);
  const handler = createReviewHandler({ authorizer, checkToken, nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678) });
  const info = {
    isResource: true as const,
    verb: 'create' as const,
    group,
    version: 'v1',
    resource,
    subresource,
    rest: [],
    namespace: namespace as TenantName,
    name: '',
    query: new Map<string, string>(),
    claimed: undefined,
  };
  const body = document === undefined ? undefined : { contentType: 'application/json', document };
  const reply = await handler({ info, tenant: acme, identity, body });
  if (reply.kind !== 'object') throw new Error(reply.kind);
  expect(reply.status).toBe(201);
  return reply.object;
}
const Z = 'authorization.k8s.io';
const N = 'authentication.k8s.io';
const pods = { verb: 'get', resource: 'pods', namespace: 'web' };

describe('SelfSubjectReview', () => {
  it('says who the caller is', async () => {
    expect(await ask(`${N} selfsubjectreviews`, { metadata: { name: 'ignored' } })).toEqual({
      kind: 'SelfSubjectReview',
      apiVersion: `${N}/v1`,
      metadata: { creationTimestamp: '2026-01-02T03:04:05Z' },
      status: {
        userInfo: {
          username: 'alice',
          uid: '7',
          groups: ['devs'],
          extra: { 'example.com/x': ['y'] },
        },
      },
    });
  });
  it('leaves out what is empty', async () => {
    const answer = await ask(`${N} selfsubjectreviews`, {}, { username: 'zed', groups: [], uid: '', extra: {} });
    expect(answer['status']).toEqual({ userInfo: { username: 'zed' } });
  });
});

describe('access reviews', () => {
  it('answer for the caller', async () => {
    const fake = new Fake();
    const answer = await ask(
      `${Z} selfsubjectaccessreviews`,
      { spec: { resourceAttributes: { ...pods, frob: 1 } } },
      alice,
      fake,
    );
    expect(answer).toEqual({
      kind: 'SelfSubjectAccessReview',
      apiVersion: `${Z}/v1`,
      metadata: {},
      spec: { resourceAttributes: pods },
      status: { allowed: true, reason: 'RBAC: allowed by x' },
    });
    expect(fake.asked).toEqual([[alice, { isResource: true, group: '', subresource: '', name: '', ...pods }]]);
  });
  it('answer for others exactly as they are named', async () => {
    const fake = new Fake();
    const spec = {
      user: 'bob',
      groups: ['g'],
      uid: '1',
      extra: { A: ['b'] },
      nonResourceAttributes: { path: '/x', verb: 'get' },
    };
    expect(await ask(`${Z} subjectaccessreviews`, { spec }, alice, fake)).toMatchObject({
      spec,
      status: { allowed: false },
    });
    expect(fake.asked[0]).toEqual([
      { username: 'bob', groups: ['g'], uid: '1', extra: { A: ['b'] } },
      { isResource: false, path: '/x', verb: 'get' },
    ]);
    const devs = { groups: ['devs'], resourceAttributes: pods };
    expect(await ask(`${Z} subjectaccessreviews`, { spec: devs })).toMatchObject({ status: { allowed: true } });
  });
  it('answer within one namespace', async () => {
    const spec = { user: 'bob', resourceAttributes: pods };
    expect(await ask(`${Z} localsubjectaccessreviews web`, { spec })).toMatchObject({
      metadata: { namespace: 'web' },
      status: { allowed: false },
    });
  });
  it('say which selector they could not read', async () => {
    const resourceAttributes = { ...pods, labelSelector: { rawSelector: 'a=(' }, fieldSelector: { rawSelector: 'x' } };
    expect(await ask(`${Z} selfsubjectaccessreviews`, { spec: { resourceAttributes } })).toMatchObject({
      spec: { resourceAttributes },
      status: {
        evaluationError:
          'spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error',
      },
    });
  });
  // Each text is what kube-apiserver 1.36 answers.
  it.each([
    [
      'selfsubjectaccessreviews',
      { spec: {} },
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'selfsubjectaccessreviews',
      { spec: { resourceAttributes: {}, nonResourceAttributes: { path: '/x', verb: 'get' } } },
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    ],
    [
      'selfsubjectaccessreviews',
      { metadata: { name: 'x' }, spec: { resourceAttributes: {} } },
      'metadata: Invalid value: {"name":"x"}: must be empty',
    ],
    [
      'subjectaccessreviews',
      { spec: { resourceAttributes: pods } },
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      'subjectaccessreviews',
      { spec: { user: 'z', resourceAttributes: { labelSelector: {} } } },
      'spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
    ],
    [
      'subjectaccessreviews',
      {
        spec: {
          user: 'z',
          resourceAttributes: {
            labelSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'Exists' }] },
          },
        },
      },
      'spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements',
    ],
    [
      'localsubjectaccessreviews default',
      { spec: { user: 'z', resourceAttributes: { namespace: 'other' } } },
      'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
    ],
    [
      'localsubjectaccessreviews default',
      { spec: { user: 'bob', nonResourceAttributes: { verb: 'list', path: 'pods' } } },
      'spec.nonResourceAttributes: Invalid value: {"Path":"pods","Verb":"list"}: disallowed on this kind of request',
    ],
  ] as [string, JsonObject, string][])('refuse of %s, %#', async (path, document, text) => {
    await expect(ask(`${Z} ${path}`, document)).rejects.toMatchObject({
      code: 'ERR_INVALID',
      message: `.authorization.k8s.io "" is invalid: ${text}`,
      details: { group: Z, causes: [{ message: text.slice(text.indexOf(': ') + 2) }] },
    });
  });
  it.each([
    ['selfsubjectaccessreviews', undefined, /unrecognized/],
    ['selfsubjectaccessreviews', [], /unrecognized/],
    [
      'selfsubjectaccessreviews',
      { kind: 'Pod', apiVersion: 'v1' },
      /^Pod in version "v1" cannot be handled as a SelfSubjectAccessReview/,
    ],
    ['subjectaccessreviews', { spec: { user: 3 } }, /cannot unmarshal number into field user/],
    ['subjectaccessreviews', { spec: { groups: 'g' } }, /cannot unmarshal string into field groups/],
    ['subjectaccessreviews', { spec: { groups: [1] } }, /cannot unmarshal number/],
    ['subjectaccessreviews', { spec: [] }, /cannot unmarshal array into field spec/],
    [
      'localsubjectaccessreviews default',
      { metadata: { namespace: 'other' }, spec: {} },
      /^the namespace of the provided object/,
    ],
    ['selfsubjectrulesreviews', { spec: {} }, /^no namespace on request$/],
  ] as [string, JsonObject, RegExp][])('answer 400 to %s, %#', async (path, document, message) => {
    await expect(ask(`${Z} ${path}`, document)).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      message: expect.stringMatching(message),
    });
  });
});

describe('SelfSubjectRulesReview', () => {
  it('lists rules, each where it belongs', async () => {
    expect(await ask(`${Z} selfsubjectrulesreviews`, { spec: { namespace: 'web' } })).toEqual({
      kind: 'SelfSubjectRulesReview',
      apiVersion: `${Z}/v1`,
      metadata: {},
      spec: {},
      status: {
        resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['web'] }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/api'] }],
        incomplete: false,
      },
    });
  });
  it('tells what it could not resolve', async () => {
    const answer = await ask(`${Z} selfsubjectrulesreviews`, { spec: { namespace: 'web' } }, { ...alice, groups: [] });
    expect(answer['status']).toMatchObject({ evaluationError: '[a, b]' });
  });
});

describe('TokenReview', () => {
  const review = (token: string, audiences?: string[]) =>
    ask(`${N} tokenreviews`, { spec: { token, ...(audiences === undefined ? {} : { audiences }) } });
  it('knows a token of the tenant', async () => {
    const user = { username: 'system:serviceaccount:web:bot', uid: '9', groups: ['system:authenticated'] };
    expect(await review('good')).toEqual({
      kind: 'TokenReview',
      apiVersion: `${N}/v1`,
      metadata: {},
      spec: { token: 'good' },
      status: { authenticated: true, user, audiences: [tokenAudience(acme)] },
    });
    expect(await review('good', ['vault', tokenAudience(acme)])).toMatchObject({
      status: { authenticated: true, audiences: [tokenAudience(acme)] },
    });
  });
  it('knows a token of the tenant for others, by the name that was asked for', async () => {
    const known = (audiences: string[]) => ({ status: { authenticated: true, audiences } });
    expect(await review('for-vault', ['other', 'vault'])).toMatchObject(known(['vault']));
    expect(await review('for-vault', [`${tokenAudience(acme)}/vault`])).toMatchObject(
      known([`${tokenAudience(acme)}/vault`]),
    );
    expect(await review('good', ['https://kubernetes.default.svc'])).toMatchObject(
      known(['https://kubernetes.default.svc']),
    );
  });
  it('knows no other, and does not tell why', async () => {
    const unknown = { status: { user: {}, error: 'invalid bearer token' } };
    for (const token of ['foreign', 'bad']) expect(await review(token)).toMatchObject(unknown);
    expect(await review('good', ['vault'])).toMatchObject(unknown);
    expect(await review('for-vault')).toMatchObject(unknown);
    expect(await review('for-vault', ['vaults', 'api'])).toMatchObject(unknown);
    expect((await review('foreign'))['status']).toEqual((await review('bad'))['status']);
  });
  it('is refused without a token, and when nothing can be known', async () => {
    await expect(review('')).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
    await expect(review('down')).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' });
  });
});

describe('the list of reviews', () => {
  const object = { spec: { token: 'bot' } };
  it('answers what it names', async () => {
    expect(await ask(`${N} tokenreviews`, object)).toMatchObject({ kind: 'TokenReview' });
  });
  it.each([`${Z} tokenreviews`, ' pods', `${N} __proto__`, `${N} tokenreviews/status`])(
    'answers no %s',
    async (path) => {
      await expect(ask(path, object)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    },
  );
});
