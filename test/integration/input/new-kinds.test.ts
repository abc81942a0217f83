/**
 * A kind can be used as soon as discovery has it, as at the API server: the host's authorizer
 * hears of the tenant's right on it a moment later, which no client may notice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { asBoth, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { eventually } from '../../support/processes.ts';

const { both } = useProduct();
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ROUNDS = 6;
const RETRY_MS = 100;

async function define(tenant: TenantClient, group: string, scope: string): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const { status } = await tenant.write('POST', DEFINITIONS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `news.${group}` },
    spec: {
      group,
      scope,
      names: { plural: 'news', kind: 'New' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  expect(status).toBe(201);
  // Without a pause: the moment after is what this is about.
  for (;;) {
    const answer = await tenant.send(`/apis/${group}/v1`);
    if (answer.status === 200) return;
  }
}

/** With the last definition of a tenant all its rights on such kinds go, and come anew with the next. */
async function undefine(tenant: TenantClient, group: string): Promise<void> {
  const path = `${DEFINITIONS}/news.${group}`;
  await tenant.send(path, { method: 'DELETE' });
  await eventually('the definition is gone', async () => (await tenant.send(path)).status === 404);
}

/** Asks again while the API server still reads the kind for the first time, as it tells clients to. */
async function patient<T extends { status: number }>(ask: () => Promise<T>): Promise<number> {
  for (;;) {
    const { status } = await ask();
    if (status !== 429) return status;
    await sleep(RETRY_MS);
  }
}

describe.each(['Namespaced', 'Cluster'])('a kind that was just defined, of scope %s', (scope) => {
  it('is listed, watched and written at once', async () => {
    const answers = await asBoth(both, async (tenant) => {
      const seen: string[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const group = `${scope.toLowerCase()}.new.example.com`;
        await define(tenant, group, scope);
        const everywhere = `/apis/${group}/v1/news`;
        const path = scope === 'Cluster' ? everywhere : `/apis/${group}/v1/namespaces/default/news`;
        const named = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'New', metadata: { name } });
        const done = await Promise.all([
          patient(() => tenant.send(everywhere)),
          patient(() => tenant.send(path)),
          patient(() => tenant.send(`${everywhere}?watch=true&timeoutSeconds=1`)),
          patient(() => tenant.write('POST', path, named('one'))),
          patient(() => {
            const headers = { 'content-type': 'application/apply-patch+yaml' };
            return tenant.write('PATCH', `${path}/two?fieldManager=me`, named('two'), { headers });
          }),
        ]);
        seen.push(done.join(' '));
        await undefine(tenant, group);
      }
      return seen;
    });
    for (const seen of answers) expect(seen).toEqual(Array.from({ length: ROUNDS }, () => '200 200 200 201 201'));
  });
});
