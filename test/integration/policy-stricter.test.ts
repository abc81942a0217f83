/**
 * A policy that becomes stricter is held in namespaces that are there already, whatever quota of its own the tenant has
 * made there: a quota counts what is made, whoever makes it, the proxy's guards included.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { type PolicyTenants, pod, preparePolicyTenants, upstreamNamespace } from '../support/policy-tenants.ts';
import { eventually } from '../support/processes.ts';
import { DRY, expectDone, expectRefused } from '../support/walls.ts';

const STRICT = `
quota: {count/secrets: 3}
containers: {max: {cpu: 2}}
network: {open: [10.5.0.0/16]}
`;
const TENANT = 'stricter';
/** As many as there are of the proxy's, and none besides. */
const HARD = {
  'count/resourcequotas': '2',
  'count/limitranges': '1',
  'count/networkpolicies.networking.k8s.io': '0',
};

let tenants: PolicyTenants;
beforeAll(async () => {
  tenants = await preparePolicyTenants(inject('controlPlane'), { loose: 'profile: trusted', strict: STRICT });
  await tenants.make(TENANT, 'loose');
});
afterAll(() => tenants[Symbol.asyncDispose]());

const NAMESPACE = upstreamNamespace(TENANT);
const POLICIES = `/apis/networking.k8s.io/v1/namespaces/${TENANT}--default/networkpolicies`;

async function read(path: string): Promise<{ spec: JsonObject; status?: { hard?: JsonObject } }> {
  return (await tenants.admin('GET', path)).body as never;
}

it('a stricter policy is not kept out by a quota of the tenant’s own', async () => {
  const ask = tenants.as(TENANT);
  const own = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'own' }, spec: { hard: HARD } };
  expectDone(await ask('POST', `${NAMESPACE}/resourcequotas`, own));
  await eventually('it is in force', async () => {
    const { status } = await read(`${NAMESPACE}/resourcequotas/own`);
    return Object.keys(status?.hard ?? {}).length === Object.keys(HARD).length;
  });
  expect((await read(`${NAMESPACE}/resourcequotas/kubeveil.dev`)).spec).toEqual({});
  const limits = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'own' }, spec: { limits: [] } };
  expectRefused(await ask('POST', `${NAMESPACE}/limitranges${DRY}`, limits), /exceeded quota: own/);

  await tenants.setPolicy(TENANT, 'strict');
  await eventually('the quota is in force', async () => {
    const { status } = await read(`${NAMESPACE}/resourcequotas/kubeveil.dev`);
    return status?.hard?.['count/secrets'] !== undefined;
  });
  await eventually('containers are limited', async () => {
    const answer = await ask('POST', `${NAMESPACE}/pods${DRY}`, pod({}, { resources: { limits: { cpu: '3' } } }));
    return answer.status === 403 && String(answer.body.message).includes('maximum cpu usage per Container is 2');
  });
  await eventually('pods are kept apart', async () => {
    const { podSelector, policyTypes } = (await read(`${POLICIES}/kubeveil.dev`)).spec;
    return JSON.stringify([podSelector, policyTypes]) === '[{},["Ingress","Egress"]]';
  });
});
