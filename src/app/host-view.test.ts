import { afterEach, describe, expect, it } from 'vitest';
import { Feed, type Scripted, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import type { Controllers } from '../controllers/controllers.ts';
import type { Identity } from '../exchange.ts';
import { HostHistory } from '../k8s/host-history.ts';
import type { Attributes } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';
import { parsePolicy } from '../policy/load.ts';
import { createPolicies } from '../policy/policy.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { startHostView } from './host-view.ts';

const RBAC = 'rbac.authorization.k8s.io';
const acme: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u1',
  createdAt: '',
  phase: 'Active',
  clientCaPem: '',
  policy: 'default',
};
const alice: Identity = { username: 'alice', groups: [], uid: '', extra: {} };
const readPods: Attributes = {
  isResource: true,
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'web',
  name: 'a',
};

/** What the host stores: alice may read pods in acme's namespace web. */
const STORED: Readonly<Record<string, JsonObject[]>> = {
  [`/apis/${RBAC}/v1/roles`]: [
    {
      metadata: { name: 'reader', namespace: 'acme--web', uid: 'r', resourceVersion: '5' },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    },
  ],
  [`/apis/${RBAC}/v1/rolebindings`]: [
    {
      metadata: { name: 'alice', namespace: 'acme--web', uid: 'b', resourceVersion: '5' },
      subjects: [{ kind: 'User', apiGroup: RBAC, name: 'kubeveil.inert/acme/User/alice' }],
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'reader' },
    },
  ],
};
const DISCOVERY: JsonObject = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: RBAC },
      versions: [
        { version: 'v1', resources: ['roles', 'rolebindings', 'clusterroles'].map((resource) => ({ resource })) },
      ],
    },
  ],
};

const ending: AbortController[] = [];
afterEach(() => {
  for (const one of ending.splice(0)) one.abort();
});

/** A view of a host under a default policy with these denials. */
async function viewWith(deny: string) {
  const policy = parsePolicy(
    `apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\nkinds:\n  deny: ${deny}\n`,
    'default.yaml',
  );
  const upstream = new ScriptedUpstream(({ path, query = [] }): Scripted => {
    if (path === '/api' || path === '/apis') return { status: 200, body: DISCOVERY };
    if (query.some(([name]) => name === 'watch')) return { status: 200, body: new Feed() };
    return { status: 200, body: { metadata: { resourceVersion: '9' }, items: STORED[path] ?? [] } };
  });
  const controller = new AbortController();
  ending.push(controller);
  const definitions = { subscribe: () => () => {}, synced: true };
  const view = startHostView({
    upstream,
    history: new HostHistory(),
    controllers: { informers: { definitions }, whenSynced: async () => {} } as unknown as Controllers,
    policies: createPolicies(new Map([['default', policy]])),
    signal: controller.signal,
    onError: (_what, error) => {
      throw error;
    },
  });
  await view.whenSynced();
  return view;
}

describe('the roles of tenants', () => {
  it('count as they are stored', async () => {
    const { authorizer } = await viewWith('[]');
    expect(authorizer.decide(acme, alice, readPods).allowed).toBe(true);
    expect(authorizer.decide(acme, { ...alice, username: 'bob' }, readPods).allowed).toBe(false);
    expect(authorizer.decide(acme, alice, { ...readPods, verb: 'delete' }).allowed).toBe(false);
  });

  it('count whatever kinds a policy denies', async () => {
    const view = await viewWith(`[roles.${RBAC}, rolebindings.${RBAC}, clusterroles.${RBAC}]`);
    expect(view.kinds.byResource(acme, RBAC, 'v1', 'roles')).toBeUndefined();
    expect(view.authorizer.decide(acme, alice, readPods).allowed).toBe(true);
  });
});
