/**
 * The wall around what only trusted tenants write, on the live API server.
 * @see deploy/58-wall-trusted.yaml
 */
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { impersonate } from '../support/token-client.ts';
import { ACME, DRY, expectDone, expectRefused, MERGE, prepareWalls, type Walls } from '../support/walls.ts';

const NAMESPACE = `/api/v1/namespaces/${ACME}--default`;
const TRUSTED = impersonate(`kubeveil:${ACME}`, 'kubeveil:tenants', `kubeveil:tenant:${ACME}`, 'kubeveil:trusted');
const condition = {
  type: 'Forged',
  status: 'True',
  reason: 'Forged',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

let walls: Walls;
beforeAll(async () => {
  walls = await prepareWalls(inject('controlPlane'));
  const spec = { containers: [{ name: 'c', image: 'registry.example.com/app:1' }] };
  const service = { selector: { app: 'x' }, ports: [{ port: 80 }] };
  const objects = [
    ['pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec }],
    ['services', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec: service }],
  ] as const;
  for (const [resource, body] of objects) expectDone(await walls.acme('POST', `${NAMESPACE}/${resource}`, { body }));
});
afterAll(() => walls[Symbol.asyncDispose]());

describe('a status that only trusted tenants write', () => {
  it.each([
    ['pods', { status: { message: 'forged' } }],
    ['services', { status: { conditions: [condition] } }],
  ])('%s: is refused to others', async (resource, body) => {
    const path = `${NAMESPACE}/${resource}/x/status${DRY}`;
    const options = { body, contentType: MERGE };
    expectRefused(await walls.acme('PATCH', path, options), /only tenants under the profile trusted write this/);
    expectDone(await walls.acme('PATCH', path, { ...options, headers: TRUSTED }));
  });

  it('leaves other statuses to every tenant', async () => {
    const body = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x' }, spec: { template: podTemplate } };
    const jobs = `/apis/batch/v1/namespaces/${ACME}--default/jobs`;
    expectDone(await walls.acme('POST', jobs, { body }));
    const status = { status: { active: 0 } };
    expectDone(await walls.acme('PATCH', `${jobs}/x/status${DRY}`, { body: status, contentType: MERGE }));
  });
});

const podTemplate = {
  spec: { containers: [{ name: 'c', image: 'registry.example.com/app:1' }], restartPolicy: 'Never' },
};
