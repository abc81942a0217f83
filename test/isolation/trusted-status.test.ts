/**
 * What only tenants under the profile `trusted` write: the status of pods, services and namespaces, and how a namespace
 * ends. Others have no such path; and no tenant takes a namespace's contents out of the host's sight.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectClean, forbiddenTo } from '../support/canary.ts';
import { cli } from '../support/cli.ts';
import { type RawAnswer, requestOnce } from '../support/http.ts';
import { makeTenant, type TenantFacts } from '../support/product.ts';

const controlPlane = inject('controlPlane');
const { server, caPem, acme } = inject('product');
const MERGE = 'application/merge-patch+json';
const CORE = '/api/v1/namespaces/default';

let trusty: TenantFacts;

async function send(tenant: TenantFacts, method: string, path: string, body?: object, type?: string) {
  const { certPem, keyPem } = tenant;
  const headers = { 'content-type': type ?? 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer: RawAnswer = await requestOnce({ server, caPem, certPem, keyPem, method, path, headers, ...sent });
  expectClean(answer, forbiddenTo({ own: tenant.id, foreign: ['globex'], host: ['kubeveil-system'] }));
  return { status: answer.status, object: JSON.parse(answer.text) };
}

const objects = {
  pods: { spec: { containers: [{ name: 'c', image: 'registry.example.com/app:1' }], schedulerName: 'nobody' } },
  services: { spec: { ports: [{ port: 80 }] } },
};
const condition = {
  type: 'Told',
  status: 'True',
  reason: 'Told',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

beforeAll(async () => {
  const file = join(controlPlane.workDir, 'product', 'trusty.kubeconfig');
  trusty = await makeTenant(controlPlane, 'trusty', file, 'trusted');
  for (const tenant of [acme, trusty]) {
    for (const [resource, object] of Object.entries(objects)) {
      const made = await send(tenant, 'POST', `${CORE}/${resource}`, { ...object, metadata: { name: 'told' } });
      expect(made.status).toBe(201);
    }
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'told' } };
    expect((await send(tenant, 'POST', '/api/v1/namespaces', namespace)).status).toBe(201);
  }
});

afterAll(
  async () => void (await cli(['tenant', 'delete', 'trusty', '--kubeconfig', controlPlane.adminKubeconfigPath])),
);

describe('a status that misleads others when it is forged', () => {
  it.each([`${CORE}/pods/told`, `${CORE}/services/told`, '/api/v1/namespaces/told'])(
    'is written by trusted tenants alone: %s',
    async (path) => {
      const body = { status: { conditions: [condition] } };
      const written = await send(trusty, 'PATCH', `${path}/status`, body, MERGE);
      expect(written).toMatchObject({ status: 200 });
      expect(written.object.status.conditions).toContainEqual(expect.objectContaining({ type: 'Told' }));
      expect((await send(acme, 'PATCH', `${path}/status`, body, MERGE)).status).toBe(405);
      expect((await send(acme, 'GET', `${path}/status`)).status).toBe(200);
    },
  );
});

describe('how a namespace ends', () => {
  const path = '/api/v1/namespaces/told/finalize';
  const withFinalizers = async (tenant: TenantFacts, finalizers: string[]) => {
    const { object } = await send(tenant, 'GET', '/api/v1/namespaces/told');
    return { ...object, spec: { finalizers } };
  };

  it('is steered by trusted tenants alone', async () => {
    const added = ['kubernetes', 'example.com/more'];
    const answer = await send(trusty, 'PUT', path, await withFinalizers(trusty, added));
    expect(answer).toMatchObject({ status: 200, object: { spec: { finalizers: added } } });
    expect((await send(acme, 'PUT', path, await withFinalizers(acme, added))).status).toBe(404);
    expect((await send(trusty, 'PUT', path, await withFinalizers(trusty, ['kubernetes']))).status).toBe(200);
  });

  it('never leaves what is in it behind', async () => {
    const answer = await send(trusty, 'PUT', path, await withFinalizers(trusty, []));
    expect(answer).toMatchObject({ status: 403, object: { reason: 'Forbidden' } });
    expect((await send(trusty, 'GET', '/api/v1/namespaces/told')).object.spec.finalizers).toEqual(['kubernetes']);
  });
});
