/**
 * A quota over all namespaces of a tenant, and what containers get, as the host holds them.
 * @see src/controllers/guards/quota-split.ts
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { type PolicyTenants, pod, preparePolicyTenants, upstreamNamespace } from '../support/policy-tenants.ts';
import { eventually } from '../support/processes.ts';
import { DRY, expectDone, expectRefused, MERGE } from '../support/walls.ts';

const TOTAL = 12;
const TENANT = 'quo-sum';
const POLICY = `
quota: {count/secrets: ${TOTAL}, requests.cpu: 4}
containers: {requests: {cpu: 100m}, limits: {memory: 1Gi}, max: {cpu: 2}}
`;
const NAMESPACES = ['default', 'one', 'two'];

let tenants: PolicyTenants;
beforeAll(async () => {
  tenants = await preparePolicyTenants(inject('controlPlane'), { default: '', counted: POLICY });
  await Promise.all([tenants.make(TENANT, 'counted'), tenants.make('quo-free', 'default')]);
  const tenant = tenants.tenant(TENANT);
  for (const name of NAMESPACES.slice(1)) await tenants.makeNamespace(tenant, name);
});
afterAll(() => tenants[Symbol.asyncDispose]());

const at = (name: string) => `${upstreamNamespace(TENANT, name)}`;
const secrets = (name: string) => `${at(name)}/secrets`;

function secret(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name } };
}

interface Quota {
  spec: { hard: Record<string, string> };
  status?: { hard?: Record<string, string>; used?: Record<string, string> };
}

async function quota(name: string): Promise<Quota> {
  return (await tenants.admin('GET', `${at(name)}/resourcequotas/kubeveil.dev`)).body as unknown as Quota;
}

async function sumOf(field: 'hard' | 'used'): Promise<number> {
  const all = await Promise.all(NAMESPACES.map(quota));
  const parts = all.map(({ spec, status }) => (field === 'hard' ? spec.hard : status?.used)?.['count/secrets']);
  return parts.reduce((sum, part) => sum + Number(part ?? 0), 0);
}

describe('the quota of a tenant', () => {
  it('is in each namespace from the start, and adds up to no more than the whole', async () => {
    for (const name of NAMESPACES) {
      const { spec, status } = await quota(name);
      expect(Object.keys(spec.hard).sort()).toEqual(['count/secrets', 'requests.cpu']);
      expect(Object.keys(status?.hard ?? {}).sort()).toEqual(['count/secrets', 'requests.cpu']);
    }
    expect(await sumOf('hard')).toBeLessThanOrEqual(TOTAL);
    const free = await tenants.admin('GET', '/api/v1/namespaces/quo-free--default/resourcequotas/kubeveil.dev');
    expect((free.body as unknown as Quota).spec).toEqual({});
  });

  it('is used up by one namespace as by several, and never gone past', async () => {
    const ask = tenants.as(TENANT);
    let made = 0;
    await eventually('one namespace has used nearly all', async () => {
      const { status } = await ask('POST', secrets('one'), secret(`m${made}`));
      expect([201, 403]).toContain(status);
      if (status === 201) made += 1;
      expect(await sumOf('hard')).toBeLessThanOrEqual(TOTAL);
      return (await sumOf('used')) >= TOTAL - 2;
    });
    expect(made).toBeGreaterThan(TOTAL / 2);
    let more = 0;
    for (let index = 0; index < 2 * TOTAL; index += 1) {
      const name = NAMESPACES[index % NAMESPACES.length] ?? '';
      const { status, body } = await ask('POST', secrets(name), secret(`more${index}`));
      if (status === 201) more += 1;
      else expect(body.message).toContain('exceeded quota: kubeveil.dev');
    }
    expect(made + more).toBeLessThanOrEqual(TOTAL);
    for (let index = 0; index < made; index += 1) expectDone(await ask('DELETE', `${secrets('one')}/m${index}`));
    await eventually('what was given back can be used elsewhere', async () => {
      const { status } = await ask('POST', secrets('two'), secret('after'));
      return status === 201;
    });
  });

  it('is not the tenant’s to touch, comes back when deleted, and is mended', async () => {
    const path = `${at('one')}/resourcequotas/kubeveil.dev`;
    const ask = tenants.as(TENANT);
    expectRefused(await ask('DELETE', path + DRY), /kept by kubeveil-provisioner/);
    expectRefused(await ask('PATCH', path + DRY, { spec: { hard: { 'count/secrets': '99' } } }, MERGE), /kept by/);
    expectDone(await tenants.admin('DELETE', path));
    await eventually('it is there again', async () => (await tenants.admin('GET', path)).status === 200);
    expectDone(await tenants.admin('PATCH', path, { spec: { hard: { 'count/secrets': '99' } } }, MERGE));
    await eventually('it is mended', async () => (await quota('one')).spec.hard['count/secrets'] !== '99');
    expect(await sumOf('hard')).toBeLessThanOrEqual(TOTAL);
  });

  it('lets the tenant have quotas of its own', async () => {
    const own = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'own' }, spec: { hard: { pods: '1' } } };
    expectDone(await tenants.as(TENANT)('POST', `${at('one')}/resourcequotas${DRY}`, own));
  });
});

it('containers get what the policy says, and no more', async () => {
  const make = (resources: JsonObject) =>
    tenants.as(TENANT)('POST', `${at('default')}/pods${DRY}`, pod({}, { resources }));
  const plain = await make({});
  expect(plain.body).toMatchObject({
    spec: { containers: [{ resources: { requests: { cpu: '100m' }, limits: { cpu: '2', memory: '1Gi' } } }] },
  });
  expectRefused(await make({ limits: { cpu: '3' } }), /maximum cpu usage per Container is 2/);
  const path = `${at('default')}/limitranges/kubeveil.dev`;
  expectRefused(await tenants.as(TENANT)('DELETE', path + DRY), /kept by kubeveil-provisioner/);
  expectDone(await tenants.admin('DELETE', path));
  await eventually('the LimitRange is there again', async () => (await tenants.admin('GET', path)).status === 200);
});

it('a policy without a quota takes it away', async () => {
  tenants.rewrite('counted', '');
  await eventually('the quota counts nothing', async () => {
    const { spec, status } = await quota('one');
    return [spec.hard, status?.hard].every((hard) => Object.keys(hard ?? {}).length === 0);
  });
  await eventually('the LimitRange limits nothing', async () => {
    const { body } = await tenants.admin('GET', `${at('one')}/limitranges/kubeveil.dev`);
    return (body as { spec: { limits?: unknown } }).spec.limits === null;
  });
  const { body } = await tenants.admin('GET', `/apis/kubeveil.dev/v1alpha1/tenants/${TENANT}`);
  expect(JSON.stringify(body)).not.toContain('kubeveil.dev/quota');
});
