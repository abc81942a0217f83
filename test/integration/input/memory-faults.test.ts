/**
 * What is kept in memory while the host's API server is killed and comes back: what was known is told to whoever asks for
 * no more, with a warning, and nothing else is; watches stay open, and when the API server is back they are told all that
 * happened, once. Has a control plane of its own to break.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ControlPlane } from '../../../src/dev/control-plane.ts';
import { clientOf, expectStatus, type KubeObject, type TenantClient } from '../../support/as-tenant.ts';
import { factsOf, startPrivateControlPlane } from '../../support/control-plane.ts';
import { jsonOf } from '../../support/http.ts';
import type { OpenWatch } from '../../support/open-watch.ts';
import { eventually } from '../../support/processes.ts';
import { type Product, startProduct } from '../../support/product.ts';

const ALL = '/api/v1/configmaps';
const MAPS = '/api/v1/namespaces/default/configmaps';
const INFORMER =
  'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=900';

let controlPlane: ControlPlane;
let product: Product;
let acme: TenantClient;
let informer: OpenWatch;

beforeAll(async () => {
  controlPlane = await startPrivateControlPlane();
  product = await startProduct(factsOf(controlPlane), ['--request-timeout=3s']);
  acme = clientOf(product.facts, 'acme');
  informer = await acme.watch(`${ALL}?${INFORMER}`);
  await informer.until('initial-events-end');
  await make('before');
});

afterAll(async () => {
  informer?.[Symbol.dispose]();
  await product?.stop();
  await controlPlane?.stop();
});

async function make(name: string): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
  await eventually(`${name} is made`, async () => (await acme.write('POST', MAPS, object)).status === 201);
  await informer.until(`"name":"${name}"`);
}

/** Type and name of each event of the tests' own objects; bookmarks and what the host makes apart. */
function told({ text }: OpenWatch): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line) as KubeObject)
    .map(({ type, object }) => `${type} ${object.metadata.name}`)
    .filter((line) => /before|after|twice|ERROR/.test(line));
}

async function names(query: string): Promise<string[]> {
  const answer = await acme.send(`${ALL}?${query}`);
  const { items } = jsonOf<KubeObject>(answer);
  return items.map(({ metadata }: KubeObject) => metadata.name);
}

it('while the API server is down, what was known is told with a warning, and watches stay open', async () => {
  const { metadata } = await acme.json(`${ALL}?resourceVersion=0`);
  await controlPlane.kill('kube-apiserver');
  await eventually('the proxy knows that it is down', async () => {
    const { headers, status } = await acme.send(`${ALL}?resourceVersion=0`);
    return status === 200 && /^299 - "the cluster cannot be reached/.test(String(headers['warning']));
  });
  expect(await names('resourceVersion=0')).toContain('before');
  expect(await names(`resourceVersion=${metadata.resourceVersion}`)).toContain('before');
  const answer = await acme.send(`${MAPS}/before?resourceVersion=0`);
  expect(answer.status).toBe(200);
  expect(jsonOf<KubeObject>(answer)).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'before' } });
  using again = await acme.watch(`${ALL}?watch=true&resourceVersion=${metadata.resourceVersion}`);
  expect(again.status).toBe(200);
  expect(informer.ended).toBeUndefined();
});

it.each([
  ['a list that asks for the newest', ALL, {}],
  ['an object that is to be the newest', `${MAPS}/before`, {}],
  ['an object that is not known', `${MAPS}/unknown?resourceVersion=0`, {}],
  ['what is newer than what is known', `${ALL}?resourceVersion=99999999`, {}],
  ['an informer that begins', `${ALL}?${INFORMER}`, {}],
  ['what nobody watched before', '/api/v1/services?resourceVersion=0', {}],
  [
    'a write',
    MAPS,
    { method: 'POST', body: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"after-lost"}}' },
  ],
  ['a deletion', `${MAPS}/before`, { method: 'DELETE' }],
] as const)('%s is refused meanwhile, not made up', async (_what, path, options) => {
  expectStatus(await acme.send(path, options), 503, 'ServiceUnavailable');
});

it('when it is back, the same watch goes on: nothing is lost, nothing comes twice', async () => {
  await controlPlane.restart('kube-apiserver');
  await make('after');
  await make('twice');
  expect((await acme.send(`${MAPS}/before`, { method: 'DELETE' })).status).toBe(200);
  await informer.until('"type":"DELETED"');
  expect(told(informer)).toEqual(['ADDED before', 'ADDED after', 'ADDED twice', 'DELETED before']);
  expect(informer.ended).toBeUndefined();
  await eventually('memory is as new as the host, without a warning', async () => {
    const { headers } = await acme.send(`${ALL}?resourceVersion=0`);
    return headers['warning'] === undefined;
  });
  expect(await names('resourceVersion=0')).toEqual(await names(''));
});
