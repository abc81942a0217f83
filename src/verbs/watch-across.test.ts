import { describe, expect, it } from 'vitest';
import { Feed, queryOf, type Scripted } from '../../test/support/scripted-upstream.ts';
import { listOf, refusal, TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import { nameOf, namespaceOf, versionOf } from '../k8s/meta.ts';
import { objects } from '../k8s/read.ts';
import type { JsonObject, WatchEvent } from '../k8s/types.ts';

function pod(namespace: string, name: string, version = 7): JsonObject {
  const metadata = { namespace, name, uid: `${namespace}-${name}`, resourceVersion: String(version) };
  return { kind: 'Pod', apiVersion: 'v1', metadata };
}
function bookmark(version: number): WatchEvent {
  return {
    type: 'BOOKMARK',
    object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: String(version) } },
  };
}

/** A host with a pod in `default`, and a watch of all pods that the test feeds. */
function lab(feed: Feed | Scripted): VerbLab {
  return new VerbLab((request) => {
    if (request.path === '/api/v1/pods') return feed instanceof Feed ? { status: 200, body: feed } : feed;
    if (request.path === '/api/v1/namespaces') {
      return listOf('PartialObjectMetadataList', 50, [{ metadata: { name: 'acme--default' } }]);
    }
    const { kind: _kind, apiVersion: _apiVersion, ...item } = pod('acme--default', 'old', 30);
    return listOf('PodList', 50, [item]);
  });
}

async function take(events: AsyncIterator<WatchEvent>, count: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const { value, done } = await events.next();
    if (done === true) throw new Error(`the watch ended after ${taken.join(', ')}`);
    const { type, object } = value;
    taken.push(`${type} ${namespaceOf(object)}/${nameOf(object)}@${versionOf(object)}`);
  }
  return taken;
}

describe('a watch over all namespaces', () => {
  it('gives what is there, then the bookmark that ends it, then what came since', async () => {
    const feed = new Feed();
    const one = lab(feed);
    const events = await one.watch(
      '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=300',
    );
    feed.send({ type: 'ADDED', object: pod('acme--web', 'new', 51) }, bookmark(60));
    const first = await events.next();
    expect(first.value).toMatchObject({ type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1' } });
    const second = await events.next();
    expect(second.value).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { resourceVersion: '50', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
    expect(await take(events, 2)).toEqual(['ADDED web/new@51', 'BOOKMARK /@60']);
    // The hand-over loses nothing: the watch begins at the very revision of the list.
    const watched = one.upstream.requests.at(-1);
    expect(watched?.identity).toEqual({ as: 'reader' });
    expect(queryOf(watched)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '300',
      resourceVersion: '50',
    });
  });

  it.each(['/api/v1/pods?watch=true', '/api/v1/pods?watch=true&resourceVersion=0'])(
    'begins with what is there, without a bookmark that nobody asked for: %s',
    async (target) => {
      const feed = new Feed().send(bookmark(55), { type: 'MODIFIED', object: pod('acme--default', 'old', 56) });
      const events = await lab(feed).watch(target);
      expect(await take(events, 2)).toEqual(['ADDED default/old@30', 'MODIFIED default/old@56']);
    },
  );

  it('begins at the revision that the client knows, without a list', async () => {
    const feed = new Feed().send({ type: 'DELETED', object: pod('acme--default', 'old', 45) });
    const one = lab(feed);
    const events = await one.watch('/api/v1/pods?watch=true&resourceVersion=40');
    expect(await take(events, 1)).toEqual(['DELETED default/old@45']);
    expect(one.upstream.requests).toHaveLength(1);
    expect(queryOf(one.upstream.requests[0])).toMatchObject({ resourceVersion: '40' });
  });

  it('drops what is not the tenant’s, leaves out an odd object, and goes on', async () => {
    const odd = pod('acme--web', 'odd', 53);
    const feed = new Feed().send(
      { type: 'ADDED', object: pod('globex--web', 'foreign', 51) },
      { type: 'ADDED', object: pod('kube-system', 'host', 52) },
      { type: 'ADDED', object: pod('acme-eu--web', 'alike', 52) },
      { type: 'ADDED', object: { ...odd, kind: 'Node' } },
      { type: 'MODIFIED', object: pod('acme--web', 'mine', 54) },
    );
    const one = lab(feed);
    const events = await one.watch('/api/v1/pods?watch=true&resourceVersion=50');
    expect(await take(events, 1)).toEqual(['MODIFIED web/mine@54']);
    expect(one.leftOut).toHaveLength(1);
  });

  it('ends with upstream’s error event, in the tenant’s terms', async () => {
    const status = { kind: 'Status', apiVersion: 'v1', code: 410, reason: 'Expired', message: 'too old' };
    const events = await lab(new Feed().send({ type: 'ERROR', object: status }).end()).watch(
      '/api/v1/pods?watch=true&resourceVersion=50',
    );
    expect((await events.next()).value).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    expect((await events.next()).done).toBe(true);
  });

  it('lets go of upstream when the client does', async () => {
    const feed = new Feed();
    const events = await lab(feed).watch('/api/v1/pods?watch=true');
    await take(events, 1);
    feed.send(bookmark(51), { type: 'ADDED', object: pod('acme--web', 'new', 52) });
    await take(events, 1);
    await events.return?.();
    expect(feed.closed).toBe(true);
  });

  it('is refused as upstream refuses it', async () => {
    const one = lab(refusal(410, 'Expired', 'too old resource version'));
    const reply = await one.ask('GET', '/api/v1/pods?watch=true&resourceVersion=1');
    expect(reply).toMatchObject({ status: 410, object: { reason: 'Expired', message: 'too old resource version' } });
  });

  it('gives a Table a row, with the columns in the first and every row of the tenant alone', async () => {
    const columns = [{ name: 'Name', type: 'string', format: 'name' }];
    const table = (namespace: string, name: string, columnDefinitions: JsonObject[] | null): JsonObject => ({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: {},
      columnDefinitions,
      rows: [
        {
          cells: [name],
          object: { ...pod(namespace, name), kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' },
        },
      ],
    });
    const feed = new Feed().send(
      { type: 'ADDED', object: table('globex--web', 'foreign', columns) },
      { type: 'ADDED', object: table('acme--web', 'mine', null) },
    );
    const events = await lab(feed).watch('/api/v1/pods?watch=true&resourceVersion=50', { accept: TABLE });
    const { value } = await events.next();
    expect(value?.object).toMatchObject({ kind: 'Table', columnDefinitions: columns });
    expect(objects(value?.object, 'rows').map(({ cells }) => cells)).toEqual([['mine']]);
  });
});
