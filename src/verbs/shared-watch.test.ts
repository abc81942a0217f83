import { afterEach, describe, expect, it, vi } from 'vitest';
import { INFORMER, SharingHost } from '../../test/support/sharing-host.ts';
import { PARTIAL_ONE, TABLE } from '../../test/support/verb-lab.ts';
import type { SharedEvent } from '../exchange.ts';
import { nameOf, namespaceOf, versionOf } from '../k8s/meta.ts';
import type { WatchEvent } from '../k8s/types.ts';

const bookmark = (version: number): WatchEvent => ({
  type: 'BOOKMARK',
  object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: String(version) } },
});

let opened: SharingHost | undefined;
afterEach(() => opened?.close());

function open(options?: ConstructorParameters<typeof SharingHost>[0]): SharingHost {
  opened = new SharingHost(options);
  return opened;
}

const text = ({ type, object }: WatchEvent | SharedEvent): string =>
  `${type} ${namespaceOf(object)}/${nameOf(object)}@${versionOf(object)}`;

async function take(events: AsyncIterator<WatchEvent | SharedEvent>, count: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const { value, done } = await events.next();
    if (done === true) throw new Error(`the watch ended after ${taken.join(', ')}`);
    taken.push(text(value));
  }
  return taken;
}

describe('a shared watch', () => {
  it('is one upstream watch for all informers of a tenant, each of which begins with what is there', async () => {
    const host = open();
    const first = await host.lab.watch(`/api/v1/pods?${INFORMER}`);
    expect(await take(first, 2)).toEqual(['ADDED default/old@30', 'BOOKMARK /@50']);
    host.revision = 60;
    const second = await host.lab.watch(`/api/v1/pods?${INFORMER}`);
    expect(await take(second, 2)).toEqual(['ADDED default/old@30', 'BOOKMARK /@60']);
    host.shared.send(
      // Known to the second from its own list, of which the view had not heard yet.
      { type: 'ADDED', object: host.pod('acme--default', 'between', 55) },
      { type: 'ADDED', object: host.pod('globex--default', 'foreign', 61) },
      { type: 'ADDED', object: host.pod('acme--web', 'new', 62) },
    );
    expect(await take(first, 2)).toEqual(['ADDED default/between@55', 'ADDED web/new@62']);
    expect(await take(second, 1)).toEqual(['ADDED web/new@62']);
    expect(host.watches).toHaveLength(1);
    expect(host.watches[0]).toMatchObject({ identity: { as: 'reader' }, path: '/api/v1/pods' });
  });

  it('of a large collection begins from memory, once that is known to be the newest', async () => {
    const host = open({ padding: 1_100_000 });
    await take(await host.lab.watch(`/api/v1/pods?${INFORMER}`), 2);
    host.revision = 70;
    const before = host.lab.upstream.requests.length;
    const second = await host.lab.watch(`/api/v1/pods?${INFORMER}`);
    expect(await take(second, 2)).toEqual(['ADDED default/old@30', 'BOOKMARK /@71']);
    expect(host.lab.upstream.texts().slice(before)).toEqual([
      'GET /api/v1/pods?limit=1',
      'GET /api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=50&timeoutSeconds=3',
    ]);
  });

  it('selects by itself, and tells what leaves the selection', async () => {
    const host = open();
    const red = await host.lab.watch(`/api/v1/pods?${INFORMER}&labelSelector=color%3Dred`);
    const named = await host.lab.watch(`/api/v1/pods?watch=true&resourceVersion=50&fieldSelector=metadata.name%3Dold`);
    expect(await take(red, 2)).toEqual(['ADDED default/old@30', 'BOOKMARK /@50']);
    host.shared.send(
      { type: 'ADDED', object: host.pod('acme--web', 'green', 51, { color: 'green' }) },
      { type: 'MODIFIED', object: host.pod('acme--default', 'old', 52, { color: 'blue' }) },
    );
    expect(await take(red, 1)).toEqual(['DELETED default/old@52']);
    expect(await take(named, 1)).toEqual(['MODIFIED default/old@52']);
    expect(host.watches).toHaveLength(1);
  });

  it('goes on from a revision that the client knows, and comes over from upstream where the view does not go back', async () => {
    const host = open();
    await take(await host.lab.watch(`/api/v1/pods?${INFORMER}`), 2);
    const late = await host.lab.watch('/api/v1/pods?watch=true&resourceVersion=40&allowWatchBookmarks=true');
    expect(host.forwarded).toEqual(['GET /api/v1/pods?resourceVersion=40&allowWatchBookmarks=true&watch=true']);
    const [own] = host.own;
    own?.send({ type: 'MODIFIED', object: host.pod('acme--default', 'old', 45) }, bookmark(49), bookmark(53));
    expect(await take(late, 3)).toEqual(['MODIFIED default/old@45', 'BOOKMARK /@49', 'BOOKMARK /@53']);
    host.shared.send(
      { type: 'ADDED', object: host.pod('acme--web', 'told', 52) },
      { type: 'ADDED', object: host.pod('acme--web', 'new', 54) },
    );
    expect(await take(late, 1)).toEqual(['ADDED web/new@54']);
    expect(own?.closed).toBe(true);
  });

  it('comes over without showing the bookmark to a client that did not ask for one', async () => {
    const host = open();
    await take(await host.lab.watch(`/api/v1/pods?${INFORMER}`), 2);
    const late = await host.lab.watch('/api/v1/pods?watch=true&resourceVersion=40');
    host.own[0]?.send(bookmark(53));
    const next = take(late, 1);
    await vi.waitFor(() => expect(host.own[0]?.closed).toBe(true));
    host.shared.send({ type: 'ADDED', object: host.pod('acme--web', 'new', 54) });
    expect(await next).toEqual(['ADDED web/new@54']);
  });

  it.each([
    ['in one namespace', '/api/v1/namespaces/web/pods?watch=true&resourceVersion=50'],
    ['of another field', '/api/v1/pods?watch=true&resourceVersion=50&fieldSelector=spec.host%3Da'],
    ['from an odd revision', '/api/v1/pods?watch=true&resourceVersion=abc'],
    ['of events', '/api/v1/events?watch=true&resourceVersion=50'],
  ])('is none %s: upstream answers as it does', async (_what, target) => {
    const host = open();
    await host.lab.watch(target);
    expect(host.forwarded).toHaveLength(1);
    expect(host.cache.counts.views).toBe(0);
  });

  it('tells of metadata alone what it tells of the whole, and says so in its bookmarks', async () => {
    const host = open();
    await take(await host.lab.watch(`/api/v1/pods?${INFORMER}`), 2);
    const target = '/api/v1/pods?watch=true&resourceVersion=0&allowWatchBookmarks=true';
    const partial = await host.lab.watch(target, { accept: PARTIAL_ONE });
    const type = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
    const metadata = expect.objectContaining({ name: 'old', resourceVersion: '30' });
    expect((await partial.next()).value).toMatchObject({ type: 'ADDED', object: { ...type, metadata } });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    expect((await partial.next()).value).toEqual({
      type: 'BOOKMARK',
      object: { ...type, metadata: { resourceVersion: '50', annotations } },
    });
    host.shared.send({
      type: 'MODIFIED',
      object: { ...host.pod('acme--default', 'old', 51), spec: { nodeName: 'one' } },
    });
    const { value } = await partial.next();
    expect(value).toMatchObject({ type: 'MODIFIED', object: { ...type, metadata: { resourceVersion: '51' } } });
    expect(value?.object).not.toHaveProperty('spec');
    expect(host.watches).toHaveLength(1);
  });

  it('is none of a Table, whose columns upstream makes', async () => {
    const host = open();
    await host.lab.watch('/api/v1/pods?watch=true&resourceVersion=50', { accept: TABLE });
    expect(host.forwarded).toHaveLength(1);
  });

  it('is none of Secrets where the policy keeps the reader from them', async () => {
    const host = open({ readsSecretsAcross: false });
    await expect(host.lab.watch('/api/v1/secrets?watch=true&resourceVersion=50')).rejects.toMatchObject({
      code: 'ERR_FORBIDDEN',
    });
    expect(host.cache.counts.views).toBe(0);
  });
});
