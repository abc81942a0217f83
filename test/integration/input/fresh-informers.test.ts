/**
 * An informer that begins sees every write that was answered before it asked, whoever wrote, although it is answered from
 * memory: here the host writes, of which the proxy learns by its watch alone.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { bothSides } from '../../support/both-sides.ts';
import type { OpenWatch } from '../../support/open-watch.ts';

const { facts } = useProduct();
const { plain, product } = bothSides(inject('controlPlane'), facts);
const UPSTREAM = '/api/v1/namespaces/acme--default/configmaps';
const INFORMER =
  '/api/v1/configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=300';
const END = 'k8s.io/initial-events-end';
/** So that the state is large enough to be begun from memory. */
const FILLING = 'x'.repeat(600_000);

let first: OpenWatch;
beforeAll(async () => {
  for (const name of ['fresh-large-a', 'fresh-large-b']) await plain.send('POST', UPSTREAM, map(name, FILLING));
  first = await product.watch(INFORMER);
  await first.until(END);
});
afterAll(async () => {
  first[Symbol.dispose]();
  for (const name of ['fresh-large-a', 'fresh-large-b']) await plain.send('DELETE', `${UPSTREAM}/${name}`);
});

function map(name: string, data: string): KubeObject {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { data } };
}

/** What an informer that begins now is told: data by name, and the revision at which that is. */
async function begun(): Promise<{ readonly data: ReadonlyMap<string, string>; readonly revision: bigint }> {
  using watch = await product.watch(INFORMER);
  await watch.until(END);
  const data = new Map<string, string>();
  let revision = 0n;
  for (const line of watch.text.split('\n').filter((one) => one.endsWith('}'))) {
    const { type, object } = JSON.parse(line) as KubeObject;
    if (type === 'ADDED' && revision === 0n) data.set(object.metadata.name, object.data?.data ?? '');
    if (type === 'BOOKMARK' && revision === 0n) revision = BigInt(object.metadata.resourceVersion);
  }
  return { data, revision };
}

it('sees what was made, changed and deleted before it asked', async () => {
  const path = `${UPSTREAM}/fresh-one`;
  for (const round of ['1', '2', '3', '4']) {
    const made = await plain.send('POST', UPSTREAM, map('fresh-one', `made ${round}`));
    const seen = await begun();
    expect(seen.data.get('fresh-one')).toBe(`made ${round}`);
    expect(seen.revision >= BigInt(made.metadata.resourceVersion)).toBe(true);
    await plain.send('PATCH', path, { data: { data: `changed ${round}` } });
    const both = await Promise.all([begun(), begun()]);
    expect(both.map(({ data }) => data.get('fresh-one'))).toEqual([`changed ${round}`, `changed ${round}`]);
    await plain.send('DELETE', path);
    expect((await begun()).data.has('fresh-one')).toBe(false);
  }
});

it('does not come before what an informer was told already', async () => {
  const revisions: bigint[] = [];
  for (let round = 0; round < 3; round += 1) revisions.push((await begun()).revision);
  expect(revisions).toEqual([...revisions].sort((a, b) => (a < b ? -1 : 1)));
});
