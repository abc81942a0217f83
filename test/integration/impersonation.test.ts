/**
 * Hosts with constrained impersonation and hosts without: the proxy serves in front of both, finds out by itself, and gives
 * the data path no more than the host needs. On a host without, who it may be is limited as on any other; what it does in
 * their name is limited by their own rights there. Control planes of their own, since the shared one has it switched on.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacyRules } from '../../src/controllers/host/host-lists.ts';
import { impersonationForm, impersonationProblem } from '../../src/controllers/walls/impersonation.ts';
import { objects, strings } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { TenantId } from '../../src/tenancy/names.ts';
import { clientOf, type TenantClient } from '../support/as-tenant.ts';
import { type ControlPlaneFacts, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { prepareHost, runControllers } from '../support/host.ts';
import { type ProductFacts, startProduct } from '../support/product.ts';
import { createTenant } from '../support/tenants.ts';
import { accountClient, impersonate, type TokenClient } from '../support/token-client.ts';
import {
  ACME,
  configMap,
  DRY,
  expectDone,
  expectRefused,
  MERGE,
  NAMESPACES,
  NOBODY_ELSE,
  NOT_THE_TENANTS,
  prepareWalls,
  type Walls,
} from '../support/walls.ts';

const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/kubeveil:impersonation';
const OWN = `${NAMESPACES}/${ACME}--default/configmaps`;
const SWITCHED_OFF = { 'kube-apiserver': ['--feature-gates=ConstrainedImpersonation=false'] };
const signal = AbortSignal.timeout(900_000);

/** Verbs of all rights that the list gives, each once. */
function verbsIn(role: unknown): Set<string> {
  return new Set(objects(role as JsonObject, 'rules').flatMap((rule) => strings(rule, 'verbs')));
}

async function startWithout(stack: AsyncDisposableStack): Promise<ControlPlaneFacts> {
  return factsOf(stack.use(await startPrivateControlPlane({ extraArgs: SWITCHED_OFF, nodes: 0 })));
}

describe('a host without constrained impersonation', () => {
  describe('limits', () => {
    const stack = new AsyncDisposableStack();
    afterAll(() => stack.disposeAsync());
    let walls: Walls;
    beforeAll(async () => {
      walls = stack.use(await prepareWalls(await startWithout(stack)));
    });

    it('is known for what it is, and will do', async () => {
      expect(await impersonationForm(walls.host.upstream, signal)).toBe('legacy');
      expect(await impersonationProblem(walls.host.upstream, signal)).toBeUndefined();
    });
    it('will not do when the data path may be anybody', async () => {
      const { upstream } = walls.host;
      const rules = [{ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }];
      const extras = legacyRules([ACME as TenantId]).slice(2);
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'too-much' } };
      const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
      const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
      expectDone(await walls.admin('POST', roles, { ...role, rules: [...rules, ...extras] }));
      const subject = { kind: 'ServiceAccount', namespace: 'kubeveil-system' };
      const bind = (account: string) =>
        walls.admin('POST', bindings, {
          metadata: { name: `too-much-${account}` },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'too-much' },
          subjects: [{ ...subject, name: account }],
        });
      for (const [account, who] of [
        ['kubeveil-datapath', 'data path'],
        ['kubeveil-reader', 'reader'],
      ] as const) {
        expectDone(await bind(account));
        await expect.poll(() => impersonationProblem(upstream, signal)).toMatch(`the ${who} impersonate anybody`);
        expectDone(await walls.admin('DELETE', `${bindings}/too-much-${account}`));
        await expect.poll(() => impersonationProblem(upstream, signal)).toBeUndefined();
      }
    });
    it('lets the data path be a listed tenant, and hears who really asks', async () => {
      const headers = { 'impersonate-extra-kubeveil.dev%2Fuser': 'alice' };
      expectDone(await walls.acme('GET', OWN, { headers }));
      expectDone(await walls.acme('POST', OWN + DRY, { body: configMap() }));
    });
    it.each(NOBODY_ELSE)('does not let it be %s', async (_who, user, groups) => {
      const headers = impersonate(user, ...groups);
      expectRefused(await walls.dataPath.send('GET', OWN, { headers }), /cannot impersonate/);
    });
    it('does not let it say anything else about the user', async () => {
      const headers = { 'impersonate-extra-scopes': 'all' };
      expectRefused(await walls.acme('GET', OWN, { headers }), /userextras/);
      expectRefused(await walls.acme('GET', OWN, { headers: { 'impersonate-uid': '1' } }), /uids/);
    });
    it('gives it no right of its own', async () => {
      expectRefused(await walls.dataPath.send('GET', OWN), /cannot list/);
    });
    it.each(NOT_THE_TENANTS)('lets no tenant %s', async (_what, method, path, body) => {
      expectRefused(await walls.acme(method, path, { body }), new RegExp(`User "kubeveil:${ACME}" cannot`));
    });
    it('is written anew for it when the list was for another host', async () => {
      const constrained = {
        apiGroups: ['authentication.k8s.io'],
        resources: ['users'],
        resourceNames: [`kubeveil:${ACME}`],
        verbs: ['impersonate:user-info'],
      };
      expectDone(await walls.admin('PATCH', ROLE, { rules: [constrained] }, MERGE));
      await expect.poll(async () => verbsIn((await walls.admin('GET', ROLE)).body)).toEqual(new Set(['impersonate']));
      await expect.poll(async () => (await walls.acme('GET', OWN)).status).toBe(200);
    });
  });

  describe('the proxy in front of it', () => {
    const stack = new AsyncDisposableStack();
    afterAll(() => stack.disposeAsync());
    let product: ProductFacts;
    let acme: TenantClient;
    beforeAll(async () => {
      const started = await startProduct(await startWithout(stack));
      stack.defer(() => started.stop());
      product = started.facts;
      acme = clientOf(product, 'acme');
    });

    it('serves, and tells its operator', async () => {
      await acme.kubectl('create namespace legacy');
      await acme.kubectl('create configmap a -n legacy --from-literal=a=b');
      await acme.kubectl('create clusterrole legacy --verb=get --resource=pods');
      await acme.kubectl('create rolebinding legacy -n legacy --clusterrole=legacy --user=alice');
      expect(await acme.kubectl('get configmaps -A -o name')).toContain('configmap/a');
      expect(await acme.kubectl('auth can-i get pods -n legacy --as alice')).toBe('yes');
      expect(await acme.kubectl('create token default -n legacy')).toMatch(/^ey/);
      expect(readFileSync(product.logPath, 'utf8')).toContain('has no constrained impersonation');
    });
    it('serves kinds that a tenant defines', async () => {
      await acme.create({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'olds.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'olds', kind: 'Old' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      });
      await acme.kubectl('wait crd/olds.example.com --for=condition=Established');
      await acme.create({ apiVersion: 'example.com/v1', kind: 'Old', metadata: { name: 'a', namespace: 'legacy' } });
      expect(await acme.kubectl('get olds -A -o name')).toBe('old.example.com/a');
      const globex = clientOf(product, 'globex');
      expect(await globex.refused('get olds -A')).toMatch(/doesn't have a resource type/);
    });
    it('is told of what a tenant is refused in that tenant’s words', async () => {
      expect(await acme.refused('get configmaps -n elsewhere --as nobody')).toMatch(/User "nobody" cannot list/);
      expect(await acme.kubectl('get configmaps -n elsewhere')).toBe('');
    });
  });
});

describe('a host that has come to have it', () => {
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());
  let dataPath: TokenClient;
  const asAcme = (path: string) =>
    dataPath.send('GET', path, {
      headers: impersonate(`kubeveil:${ACME}`, 'kubeveil:tenants', `kubeveil:tenant:${ACME}`),
    });

  it('goes by no right that was written for it before, and leaves none', async () => {
    const facts = factsOf(stack.use(await startPrivateControlPlane({ nodes: 0 })));
    const host = stack.use(await prepareHost(facts));
    expect(await impersonationForm(host.upstream, signal)).toBe('constrained');
    const before = runControllers(host);
    await before.whenSynced();
    await createTenant(host, before, ACME);
    await before[Symbol.asyncDispose]();

    const rules = legacyRules([ACME as TenantId]);
    expectDone((await host.admin.send('PATCH', ROLE, { rules }, MERGE)) as never);
    dataPath = stack.use(await accountClient(host, 'kubeveil-datapath'));
    await expect
      .poll(async () => (await asAcme('/api/v1/nodes')).body.message)
      .toMatch(/User "kubeveil:wall-acme" cannot/);
    expectDone(await asAcme(OWN));
    // The host names this right first from now on, to the data path: it cannot be asked about the form.
    const nobody = await dataPath.send('GET', OWN, { headers: impersonate('kubeveil:system') });
    expectRefused(nobody, /cannot impersonate resource "users" in API group ""/);
    expect(await impersonationForm(host.upstream, signal)).toBe('constrained');

    stack.use(runControllers(host));
    await expect
      .poll(async () => verbsIn((await host.admin.send('GET', ROLE)).body))
      .toEqual(new Set(['impersonate:user-info']));
    await expect.poll(async () => (await asAcme('/api/v1/nodes')).body.message).toMatch(/cannot impersonate/);
    expectDone(await asAcme(OWN));
  });
});
