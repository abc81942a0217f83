/**
 * Watches of all tenants come from one upstream watch of the kind: what each is told is its own, and the host pays for
 * one, however many there are.
 */
import { afterEach, expect, it } from 'vitest';
import { type TenantClient, useProduct } from '../support/as-tenant.ts';
import type { OpenWatch } from '../support/open-watch.ts';
import { eventually } from '../support/processes.ts';

const { acme, globex, both, host } = useProduct();
const BUDGETS = '/apis/policy/v1/poddisruptionbudgets';
const IN_DEFAULT = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const INFORMER =
  'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=300';
const END = 'k8s.io/initial-events-end';

const opened: OpenWatch[] = [];
afterEach(() => {
  for (const watch of opened.splice(0)) watch[Symbol.dispose]();
});

async function informer(tenant: TenantClient, path: string): Promise<OpenWatch> {
  const watch = await tenant.watch(`${path}?${INFORMER}`);
  opened.push(watch);
  await watch.until(END);
  return watch;
}

/** Watches of a kind that the host has open, over all namespaces. */
async function hostWatches(resource: string): Promise<number> {
  const { body } = await host.send('GET', '/metrics');
  return String(body)
    .split('\n')
    .filter((line) => line.startsWith('apiserver_longrunning_requests{') && line.includes(`resource="${resource}"`))
    .filter((line) => line.includes('scope="cluster"') && line.includes('verb="WATCH"'))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

it.each([
  ['poddisruptionbudgets', BUDGETS],
  ['clusterroles', '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
])('many informers of both tenants on %s are one watch of the host', async (resource, path) => {
  await informer(acme, path);
  const one = await hostWatches(resource);
  for (const tenant of [globex, acme, acme, globex, globex]) await informer(tenant, path);
  await eventually('the host has no more watches', async () => (await hostWatches(resource)) <= one);
  // That the count tells: a Table is the host's to make.
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  opened.push(await acme.watch(`${path}?watch=true&timeoutSeconds=300`, { accept }));
  await eventually('the host has one more watch', async () => (await hostWatches(resource)) === one + 1);
});

it('each tenant is told of its own objects, and of all of them', async () => {
  const watches = new Map<TenantClient, OpenWatch[]>();
  for (const tenant of both) {
    watches.set(tenant, [await informer(tenant, BUDGETS), await informer(tenant, BUDGETS)]);
  }
  const names = new Map([
    [acme, 'budget-one'],
    [globex, 'budget-two'],
  ]);
  for (const [tenant, name] of names) {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: name } } };
    const budget = { kind: 'PodDisruptionBudget', apiVersion: 'policy/v1', metadata: { name }, spec };
    expect(await tenant.write('POST', IN_DEFAULT, budget)).toMatchObject({ status: 201 });
    expect(await tenant.send(`${IN_DEFAULT}/${name}`, { method: 'DELETE' })).toMatchObject({ status: 200 });
  }
  for (const [tenant, open] of watches) {
    for (const watch of open) {
      await watch.until('"type":"DELETED"');
      tenant.mustBeClean(watch.text);
      for (const [owner, name] of names) expect(watch.text.includes(`"name":"${name}"`)).toBe(owner === tenant);
    }
  }
});
