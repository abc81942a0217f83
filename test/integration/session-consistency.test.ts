/**
 * A policy that says `consistency: session`, on a control plane of its own: whoever writes reads what they wrote, at once and
 * every time; and while a kind is watched, the API server is not asked for each read of it. That stays so after its store
 * was restored from a backup, when it is at an earlier revision than what was written.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ControlPlane } from '../../src/dev/control-plane.ts';
import { clientOf, type KubeObject, type TenantClient } from '../support/as-tenant.ts';
import { adminClient, factsOf, startPrivateControlPlane } from '../support/control-plane.ts';
import { backUp } from '../support/etcd-backup.ts';
import { INFORMER } from '../support/fault-lab.ts';
import { jsonOf } from '../support/http.ts';
import type { OpenWatch } from '../support/open-watch.ts';
import { eventually } from '../support/processes.ts';
import { type Product, startProduct } from '../support/product.ts';

const POLICY = fileURLToPath(new URL('../../policies/default.yaml', import.meta.url));
const ALL = '/api/v1/configmaps';
const MAPS = '/api/v1/namespaces/default/configmaps';
/** For an API server to come up on a busy machine. */
const PATIENCE_MS = 90_000;
/** More revisions than the host makes by itself while a test waits. */
const LOST = 1_000;
const MERGE = 'application/merge-patch+json';

let controlPlane: ControlPlane;
let product: Product;
let policies: string;
let acme: TenantClient;
let informer: OpenWatch;
beforeAll(async () => {
  controlPlane = await startPrivateControlPlane();
  policies = await mkdtemp(join(tmpdir(), 'kubeveil-policies-'));
  const text = await readFile(POLICY, 'utf8');
  await writeFile(join(policies, 'default.yaml'), text.replace('consistency: linearizable', 'consistency: session'));
  product = await startProduct(factsOf(controlPlane), [`--policies=${policies}`]);
  acme = clientOf(product.facts, 'acme');
  informer = await acme.watch(`${ALL}?${INFORMER}`);
  await informer.until('initial-events-end');
});
afterAll(async () => {
  informer?.[Symbol.dispose]();
  await product?.stop();
  await controlPlane?.stop();
  await rm(policies, { recursive: true, force: true });
});

async function names(): Promise<string[]> {
  const { items } = await acme.json(ALL);
  return items.map(({ metadata }: KubeObject) => metadata.name);
}

/** Reads of ConfigMaps that the API server has answered, of the tenant and of the proxy's reader. */
async function readsUpstream(): Promise<number> {
  const text = await readFile(factsOf(controlPlane).auditLogPath, 'utf8');
  return text
    .split('\n')
    .filter((line) => line.includes('"configmaps"') && /"verb":"(?:get|list)"/.test(line))
    .filter((line) => line.includes('acme--default') && line.includes('kubeveil')).length;
}

it('a tenant reads what it wrote, changed and deleted, each time', async () => {
  for (let round = 0; round < 30; round += 1) {
    const name = `own-${round}`;
    const made = await acme.write('POST', MAPS, { metadata: { name }, data: { round: 'no' } });
    expect(made.status).toBe(201);
    expect(await names()).toContain(name);
    const put = await acme.write('PUT', `${MAPS}/${name}`, { metadata: { name }, data: { round: String(round) } });
    expect(put.status).toBe(200);
    const read = jsonOf<KubeObject>(await acme.send(`${MAPS}/${name}`));
    expect(read.data).toEqual({ round: String(round) });
    if (round % 3 > 0) continue;
    expect((await acme.send(`${MAPS}/${name}`, { method: 'DELETE' })).status).toBe(200);
    expect(await names()).not.toContain(name);
    expect((await acme.send(`${MAPS}/${name}`)).status).toBe(404);
  }
});

async function memoryAnswers(): Promise<void> {
  await eventually(
    'memory has all that was written',
    async () => {
      const before = await readsUpstream();
      await names();
      await new Promise((resolve) => setTimeout(resolve, 200));
      return (await readsUpstream()) === before;
    },
    PATIENCE_MS,
  );
}

it('reads of what is watched are not the API server’s to answer', async () => {
  await memoryAnswers();
  const before = await readsUpstream();
  for (let at = 0; at < 20; at += 1) {
    expect(await names()).toContain('own-29');
    expect((await acme.send(`${MAPS}/own-29`)).status).toBe(200);
  }
  // What another object asks of the API server is seen, so that the others would have been.
  await acme.send(`${MAPS}/is-not-there`);
  await eventually('the audit log tells of it', async () => (await readsUpstream()) > before);
  expect(await readsUpstream()).toBe(before + 1);
});

it('so it is after the host was restored from a backup, though all that was written was above what it is at now', async () => {
  const restore = await backUp(controlPlane);
  const admin = adminClient(factsOf(controlPlane));
  await admin.create('/api/v1/namespaces/acme--default/configmaps', { metadata: { name: 'counts' } });
  for (let at = 0; at < LOST; at += 1) {
    const patch = { data: { at: String(at) } };
    await admin.send('PATCH', '/api/v1/namespaces/acme--default/configmaps/counts', patch, MERGE);
  }
  admin.close();
  expect((await acme.write('POST', MAPS, { metadata: { name: 'lost' } })).status).toBe(201);
  const { metadata: before } = await acme.json(ALL);

  await restore();
  await eventually('the informer is told', () => informer.ended !== undefined, PATIENCE_MS);
  let again: OpenWatch | undefined;
  await eventually(
    'another begins',
    async () => {
      again?.[Symbol.dispose]();
      again = await acme.watch(`${ALL}?${INFORMER}`);
      return again.status === 200;
    },
    PATIENCE_MS,
  );
  using open = again as unknown as OpenWatch;
  await open.until('initial-events-end');

  for (let round = 0; round < 10; round += 1) {
    const name = `after-${round}`;
    await eventually(
      `${name} is made`,
      async () => (await acme.write('POST', MAPS, { metadata: { name } })).status === 201,
      PATIENCE_MS,
    );
    expect(await names()).toContain(name);
  }
  expect(await names()).not.toContain('lost');
  await memoryAnswers();
  const { metadata } = await acme.json(ALL);
  expect(BigInt(metadata.resourceVersion)).toBeLessThan(BigInt(before.resourceVersion));
});
