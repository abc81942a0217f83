/**
 * The walls around every virtual kind: whatever the translation in the proxy does, a tenant writes only what carries its own
 * prefix and label, and nothing of the native kind. Every refusal has a twin that passes.
 * @see deploy/31-rbac-tenants.yaml, deploy/51-wall-cluster-scoped.yaml
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { VIRTUAL_GROUP } from '../../src/kinds/kind.ts';
import { isNamespaced, sample, virtualVectors } from '../support/virtual-vectors.ts';
import { ACME, DRY, expectDone, expectRefused, GLOBEX, MERGE, prepareWalls, type Walls } from '../support/walls.ts';

let walls: Walls;

beforeAll(async () => {
  walls = await prepareWalls(inject('controlPlane'));
});

afterAll(() => walls[Symbol.asyncDispose]());

describe.each(virtualVectors().filter((vector) => !isNamespaced(vector)))('$resource', (vector) => {
  const collection = `/apis/${VIRTUAL_GROUP}/v1/${vector.resource}`;
  const stored = (name: string, tenant?: string, more: object = {}) => ({
    ...sample(vector, name),
    apiVersion: `${VIRTUAL_GROUP}/v1`,
    metadata: { name, ...(tenant !== undefined && { labels: { 'kubeveil.dev/tenant': tenant } }), ...more },
  });

  beforeAll(async () => {
    for (const tenant of [ACME, GLOBEX]) {
      expectDone(await walls.admin('POST', collection, stored(`${tenant}--stored`, tenant)));
    }
  });
  afterAll(async () => {
    for (const tenant of [ACME, GLOBEX]) await walls.admin('DELETE', `${collection}/${tenant}--stored`);
  });

  it('of a tenant carry its prefix and its label', async () => {
    const create = (body: object) => walls.acme('POST', collection + DRY, { body });
    expectDone(await create(stored(`${ACME}--one`, ACME)));
    expectRefused(await create(stored(`${GLOBEX}--one`, ACME)), /must begin with/);
    expectRefused(await create(stored('one', ACME)), /must begin with/);
    expectRefused(await create(stored(`${ACME}--one`, GLOBEX)), /must carry the label/);
    expectRefused(await create(stored(`${ACME}--one`)), /must carry the label/);
    expectRefused(
      await create(stored(`${ACME}--one`, ACME, { finalizers: ['kubeveil.dev/x'] })),
      /below kubeveil|label/,
    );
  });

  it('of another tenant can be neither read, changed nor deleted', async () => {
    const [own, foreign] = [`${collection}/${ACME}--stored`, `${collection}/${GLOBEX}--stored`];
    const change = { body: { metadata: { labels: { team: 'a' } } }, contentType: MERGE };
    expectDone(await walls.acme('PATCH', own + DRY, change));
    expectRefused(await walls.acme('PATCH', foreign + DRY, change), /must begin with/);
    expectDone(await walls.acme('DELETE', own + DRY));
    expectRefused(await walls.acme('DELETE', foreign + DRY), /must begin with/);
    for (const path of [own, foreign, collection]) expectRefused(await walls.acme('GET', path), /cannot/);
    expectRefused(await walls.acme('DELETE', collection + DRY), /cannot/);
  });

  it('are nothing that a tenant has of the native kind', async () => {
    const native = `/apis/${vector.group}/v1/${vector.resource}`;
    const body = sample(vector, `${ACME}--native`, { 'metadata.labels': { 'kubeveil.dev/tenant': ACME } });
    expectRefused(await walls.acme('POST', native + DRY, { body }), /cannot/);
    expectRefused(await walls.acme('GET', native), /cannot/);
    expectRefused(await walls.acme('DELETE', `${native}/${ACME}--native${DRY}`), /cannot/);
    expectDone(await walls.admin('POST', native + DRY, sample(vector, 'native')));
  });
});

describe.each(virtualVectors().filter(isNamespaced))('$resource', (vector) => {
  const within = (tenant: string) => `/apis/${VIRTUAL_GROUP}/v1/namespaces/${tenant}--default/${vector.resource}`;
  const body = { ...sample(vector, 'one'), apiVersion: `${VIRTUAL_GROUP}/v1` };

  it('of a tenant are in its own namespaces', async () => {
    expectDone(await walls.acme('POST', within(ACME) + DRY, { body }));
    expectDone(await walls.acme('GET', within(ACME)));
    expectRefused(await walls.acme('POST', within(GLOBEX) + DRY, { body }), /cannot/);
    expectRefused(await walls.acme('GET', within(GLOBEX)), /cannot/);
    expectRefused(await walls.acme('GET', `/apis/${VIRTUAL_GROUP}/v1/${vector.resource}`), /cannot/);
  });

  it('are nothing that a tenant has of the native kind', async () => {
    const native = `/apis/${vector.group}/v1/namespaces/${ACME}--default/${vector.resource}`;
    expectRefused(await walls.acme('POST', native + DRY, { body: sample(vector, 'one') }), /cannot/);
    expectRefused(await walls.acme('GET', native), /cannot/);
    expectDone(await walls.admin('POST', native + DRY, sample(vector, 'one')));
  });
});

it('are all of the kinds that are stored in the group of virtual kinds', async () => {
  const { body } = await walls.admin('GET', `/apis/${VIRTUAL_GROUP}/v1`);
  const { resources } = body as unknown as { resources: { name: string }[] };
  const served = resources.map(({ name }) => name).filter((name) => !name.includes('/'));
  const others = ['clusterrolebindings', 'clusterroles'];
  expect(served.sort()).toEqual([...virtualVectors().map(({ resource }) => resource), ...others].sort());
});
