/**
 * A tenant names the policy that holds for it. While there is no such file nobody is served under that name: the Tenant
 * says what is missing and what there is, and comes into service by itself once the policy is there.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Controllers } from '../../src/controllers/controllers.ts';
import { text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { TenantId } from '../../src/tenancy/names.ts';
import { type Host, prepareHost, runControllers } from '../support/host.ts';
import { deleteTenant, heard } from '../support/tenants.ts';

const TENANTS = '/apis/kubeveil.dev/v1alpha1/tenants';
const MERGE = 'application/merge-patch+json';

let host: Host;
let controllers: Controllers & AsyncDisposable;
const policies = new Set(['default', 'strict']);

beforeAll(async () => {
  host = await prepareHost(inject('controlPlane'));
  controllers = runControllers(host, { policyNames: () => policies });
  await controllers.whenSynced();
});

afterAll(async () => {
  await controllers[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});

async function make(id: string, policy: string): Promise<void> {
  const tenant = { apiVersion: 'kubeveil.dev/v1alpha1', kind: 'Tenant', metadata: { name: id }, spec: { policy } };
  const { status, body } = await host.admin.send('POST', TENANTS, tenant);
  expect(status, JSON.stringify(body)).toBe(201);
}

/** The status of a tenant once its condition has this reason. */
async function whenReason(id: string, reason: string): Promise<JsonObject> {
  const event = await heard(controllers.informers.tenants, `${id} is ${reason}`, ({ type, object }) => {
    return type !== 'deleted' && text(object['metadata'] as JsonObject, 'name') === id && reasonOf(object) === reason;
  });
  return event.object['status'] as JsonObject;
}

function reasonOf(tenant: JsonObject): unknown {
  const { status } = tenant as { status?: { conditions?: { reason?: string }[] } };
  return status?.conditions?.[0]?.reason;
}

describe('a tenant whose policy is not there', () => {
  afterAll(() => deleteTenant(host, controllers, 'without-policy'));

  it('is Pending, and says which policy is missing and which there are', async () => {
    await make('without-policy', 'stirct');
    expect(await whenReason('without-policy', 'PolicyNotFound')).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'Ready', status: 'False', message: expect.stringMatching(/"stirct".*default, strict/) }],
    });
    expect(controllers.tenants.get('without-policy' as TenantId)?.phase).toBe('Pending');
  });

  it('is Active as soon as it names one that is there', async () => {
    await host.admin.send('PATCH', `${TENANTS}/without-policy`, { spec: { policy: 'strict' } }, MERGE);
    expect(await whenReason('without-policy', 'Ready')).toMatchObject({ phase: 'Active' });
  });

  it('is served no more when its policy goes, and again when it comes back', async () => {
    policies.delete('strict');
    await host.admin.send('PATCH', `${TENANTS}/without-policy`, { metadata: { labels: { look: 'again' } } }, MERGE);
    expect(await whenReason('without-policy', 'PolicyNotFound')).toMatchObject({ phase: 'Pending' });
    policies.add('strict');
    expect(await whenReason('without-policy', 'Ready')).toMatchObject({ phase: 'Active' });
  });
});
