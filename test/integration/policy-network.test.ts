/**
 * The network of a tenant's pods as the host holds it: the guards in each namespace, which follow what the tenant's own
 * NetworkPolicies select, and what those may open. Whether a network plugin enforces NetworkPolicies cannot be tried here:
 * no packet is sent.
 * @see src/controllers/guards/network-guards.ts, deploy/64-policy-network.yaml
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { type PolicyTenants, preparePolicyTenants, writers } from '../support/policy-tenants.ts';
import { eventually } from '../support/processes.ts';
import type { Answer } from '../support/token-client.ts';
import { DRY, expectDone, expectRefused, MERGE } from '../support/walls.ts';

let tenants: PolicyTenants;

beforeAll(async () => {
  tenants = await preparePolicyTenants(inject('controlPlane'), {
    default: 'network: {open: [10.5.0.0/16]}',
    open: 'profile: trusted',
  });
  await Promise.all([tenants.make('net-base', 'default'), tenants.make('net-open', 'open')]);
});
afterAll(() => tenants[Symbol.asyncDispose]());

const collection = (tenant: string) => `/apis/networking.k8s.io/v1/namespaces/${tenant}--default/networkpolicies`;

function policy(spec: JsonObject, name = 'a'): JsonObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name },
    spec: { podSelector: {}, ...spec },
  };
}

/** Names and selectors of the guards in a namespace. */
async function guards(tenant: string): Promise<Record<string, JsonObject>> {
  const { body } = await tenants.admin('GET', `${collection(tenant)}?labelSelector=kubeveil.dev/guard`);
  const { items } = body as { items: { metadata: { name: string }; spec: { podSelector: JsonObject } }[] };
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.podSelector]));
}

const ALL = { 'kubeveil.dev': {}, 'kubeveil.dev.egress.0': {}, 'kubeveil.dev.ingress.0': {} };
/** Selects no pod. */
const NONE = { 'kubeveil.dev': { matchLabels: { 'kubeveil.dev/nothing': '' } } };

async function whenGuards(what: string, wanted: Record<string, JsonObject>): Promise<void> {
  const text = (of: object) => JSON.stringify(Object.entries(of).sort());
  await eventually(what, async () => text(await guards('net-base')) === text(wanted));
}

describe('the guards of a namespace', () => {
  it('are there from the start, where the policy isolates', async () => {
    expect(await guards('net-base')).toEqual(ALL);
    expect(await guards('net-open')).toEqual(NONE);
  });

  it('leave alone the pods that a policy of the tenant selects, and take them back', async () => {
    const web = { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] };
    const ask = tenants.as('net-base');
    expectDone(await ask('POST', collection('net-base'), policy(web, 'web')));
    const others = { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] };
    await whenGuards('the guard is for other pods', { ...ALL, 'kubeveil.dev.ingress.0': others });
    expectDone(await ask('POST', collection('net-base'), policy({ policyTypes: ['Ingress', 'Egress'] }, 'none')));
    await whenGuards('no pod is left to the guards', { 'kubeveil.dev': {} });
    for (const name of ['web', 'none']) expectDone(await ask('DELETE', `${collection('net-base')}/${name}`));
    await whenGuards('all pods are the guards’ again', ALL);
  });

  it('come back when somebody deletes them, and are mended when somebody changes them', async () => {
    for (const name of ['kubeveil.dev', 'kubeveil.dev.egress.0']) {
      const path = `${collection('net-base')}/${name}`;
      const { body } = await tenants.admin('GET', path);
      expectDone(await tenants.admin('DELETE', path));
      await eventually(`${name} is there again`, async () => (await tenants.admin('GET', path)).status === 200);
      const opened = { spec: { policyTypes: ['Egress'], egress: [{}] } };
      expectDone(await tenants.admin('PATCH', path, opened, MERGE));
      await eventually(`${name} is as it was`, async () => {
        const now = (await tenants.admin('GET', path)).body;
        return JSON.stringify(now['spec']) === JSON.stringify(body['spec']);
      });
    }
  });

  it('are not the tenant’s to touch, and neither are their names', async () => {
    const ask = tenants.as('net-base');
    const path = `${collection('net-base')}/kubeveil.dev`;
    expectRefused(await ask('DELETE', path + DRY), /kept by kubeveil-provisioner/);
    expectRefused(await ask('PATCH', path + DRY, { metadata: { labels: { a: 'b' } } }, MERGE), /guards/);
    for (const name of ['kubeveil.dev.more', 'kubeveil.dev.ingress.7']) {
      expectRefused(await ask('POST', collection('net-base') + DRY, policy({}, name)), /are kept for guards/);
    }
    expectDone(await ask('POST', collection('net-base') + DRY, policy({}, 'kubeveil-dev')));
  });

  it('keep no pod when the policy does not isolate any more', async () => {
    await tenants.setPolicy('net-base', 'open');
    await whenGuards('they select none', NONE);
    await tenants.setPolicy('net-base', 'default');
    await whenGuards('all are there again', ALL);
  });
});

describe.each(writers(() => tenants))('a NetworkPolicy that %s writes', (_who, ask) => {
  const make = (tenant: string, spec: JsonObject): Promise<Answer> =>
    ask(tenant)('POST', collection(tenant) + DRY, policy(spec));
  const to = (...peers: JsonObject[]): JsonObject => ({ policyTypes: ['Egress'], egress: [{ to: peers }] });
  const own = { namespaceSelector: { matchLabels: { 'kubeveil.dev/tenant': 'net-base' } } };

  it('reaches the Internet and its own where it says nothing', async () => {
    for (const rule of [{}, { ports: [{ port: 443 }] }]) {
      const answer = await make('net-base', { policyTypes: ['Egress'], egress: [rule] });
      expectDone(answer);
      const { spec } = answer.body as { spec: { egress: { to?: JsonObject[] }[] } };
      expect(spec.egress[0]).toMatchObject(rule);
      expect(spec.egress[0]?.to).toMatchObject([
        own,
        { ipBlock: { cidr: '0.0.0.0/0', except: expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16']) } },
        { ipBlock: { cidr: '::/0', except: expect.arrayContaining(['fc00::/7']) } },
      ]);
    }
    const free = await make('net-open', { policyTypes: ['Egress'], egress: [{}] });
    expect((free.body as { spec: JsonObject }).spec['egress']).toEqual([{}]);
  });

  it('leaves out of a range what is closed', async () => {
    const answer = await make('net-base', to({ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '1.0.0.0/8'] } }));
    expectDone(answer);
    const { spec } = answer.body as { spec: { egress: { to: { ipBlock: { except: string[] } }[] }[] } };
    const { except = [] } = spec.egress[0]?.to[0]?.ipBlock ?? {};
    expect(except).toEqual(expect.arrayContaining(['10.0.0.0/8', '1.0.0.0/8', '192.168.0.0/16']));
    expect(except.filter((range) => range === '10.0.0.0/8')).toHaveLength(1);
  });

  it.each<[what: string, peer: JsonObject, taken: boolean]>([
    ['a public range', { ipBlock: { cidr: '203.0.113.0/24' } }, true],
    ['a range that the policy opens', { ipBlock: { cidr: '10.5.1.0/24' } }, true],
    ['a closed range', { ipBlock: { cidr: '10.0.0.0/8' } }, false],
    ['a part of a closed range', { ipBlock: { cidr: '10.96.0.1/32' } }, false],
    ['the metadata of a cloud', { ipBlock: { cidr: '169.254.169.254/32' } }, false],
    ['a closed range of IPv6', { ipBlock: { cidr: 'fd00::/8' } }, false],
    ['pods of its own', { namespaceSelector: { matchLabels: { 'kubeveil.dev/tenant': 'net-base', a: 'b' } } }, true],
    ['pods of every namespace', { namespaceSelector: {} }, false],
    ['pods of another', { namespaceSelector: { matchLabels: { 'kubeveil.dev/tenant': 'net-open' } } }, false],
    ['pods beside it', { podSelector: {} }, true],
  ])('leads to %s', async (_what, peer, taken) => {
    const answer = await make('net-base', to(peer));
    if (taken) expectDone(answer);
    else expectRefused(answer, /the policy of this cluster closes|namespaces of this cluster only/);
    expectDone(await make('net-open', to(peer)));
  });

  it('is told of a range that is none in the words of the API server', async () => {
    const answer = await make('net-base', to({ ipBlock: { cidr: 'nonsense' } }));
    expect(answer.status).toBe(422);
  });

  it('says itself who reaches its pods', async () => {
    const answer = await make('net-base', { policyTypes: ['Ingress'], ingress: [{}] });
    expect((answer.body as { spec: JsonObject }).spec['ingress']).toEqual([{}]);
  });
});
