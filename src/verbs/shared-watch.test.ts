import { afterEach, describe, expect, it, vi } from 'vitest';
import { Feed, type Scripted, textOf } from '../../test/support/scripted-upstream.ts';
import { listOf, TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import { type Cache, createCache } from '../cache/cache.ts';
import type { SharedEvent } from '../exchange.ts';
import { nameOf, namespaceOf, versionOf } from '../k8s/meta.ts';
import type { JsonObject, WatchEvent } from '../k8s/types.ts';
import type { Upstream, UpstreamRequest } from '../ports.ts';

const INFORMER = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

function pod(namespace: string, name: string, version: number, labels: JsonObject = {}): JsonObject {
  const metadata = { namespace, name, uid: name, resourceVersion: String(version), labels };
  return { kind: 'Pod', apiVersion: 'v1', metadata };
}
const bookmark = (version: number): WatchEvent => ({
  type: 'BOOKMARK',
  object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: String(version) } },
});

let cache: Cache | undefined;
afterEach(() => cache?.close());

/**
 * A host at a revision that the test moves, with one pod in `acme--default`. The first watch is the cache's; the test
 * feeds it, and each one that a client has for itself.
 */
class Host {
  revision = 50;
  readonly shared = new Feed();
  readonly own: Feed[] = [];
  readonly watches: UpstreamRequest[] = [];
  readonly lab: VerbLab;

  constructor(options: { readonly readsSecretsAcross?: boolean } = {}) {
    const answer = (request: UpstreamRequest): Scripted => this.#answer(request);
    let upstream: Upstream | undefined;
    cache = createCache({
      upstream: {
        request: async (request) => await (upstream as Upstream).request(request),
        stream: async (request) => await (upstream as Upstream).stream(request),
      },
      onError: () => {},
    });
    this.lab = new VerbLab(answer, { cache, ...options });
    upstream = this.lab.upstream;
  }

  /** Upstream watches that clients have for themselves: the cache's own is asked for with a random time. */
  get forwarded(): string[] {
    return this.watches.map(textOf).filter((text) => !/timeoutSeconds=\d{3}$/.test(text));
  }

  #answer(request: UpstreamRequest): Scripted {
    const { path, query = [] } = request;
    if (query.some(([name]) => name === 'watch')) {
      this.watches.push(request);
      if (/timeoutSeconds=\d{3}$/.test(textOf(request))) return { status: 200, body: this.shared };
      const feed = new Feed();
      this.own.push(feed);
      return { status: 200, body: feed };
    }
    if (path === '/api/v1/namespaces') {
      return listOf('PartialObjectMetadataList', this.revision, [{ metadata: { name: 'acme--default' } }]);
    }
    const { kind: _kind, apiVersion: _apiVersion, ...item } = pod('acme--default', 'old', 30, { color: 'red' });
    return listOf('PodList', this.revision, [item]);
  }
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
    const host = new Host();
    const first = await host.lab.watch(`/api/v1/pods?${INFORMER}`);
    expect(await take(first, 2)).toEqual(['ADDED default/old@30', 'BOOKMARK /@50']);
    host.revision = 60;
    const second = await host.lab.watch(`/api/v1/pods?${INFORMER}`);
    expect(await take(second, 2)).toEqual(['ADDED default/old@30', 'BOOKMARK /@60']);
    host.shared.send(
      // Known to the second from its own list, of which the view had not heard yet.
      { type: 'ADDED', object: pod('acme--default', 'between', 55) },
      { type: 'ADDED', object: pod('globex--default', 'foreign', 61) },
      { type: 'ADDED', object: pod('acme--web', 'new', 62) },
    );
    expect(await take(first, 2)).toEqual(['ADDED default/between@55', 'ADDED web/new@62']);
    expect(await take(second, 1)).toEqual(['ADDED web/new@62']);
    expect(host.watches).toHaveLength(1);
    expect(host.watches[0]).toMatchObject({ identity: { as: 'reader' }, path: '/api/v1/pods' });
  });

  it('selects by itself, and tells what leaves the selection', async () => {
    const host = new Host();
    const red = await host.lab.watch(`/api/v1/pods?${INFORMER}&labelSelector=color%3Dred`);
    const named = await host.lab.watch(`/api/v1/pods?watch=true&resourceVersion=50&fieldSelector=metadata.name%3Dold`);
    expect(await take(red, 2)).toEqual(['ADDED default/old@30', 'BOOKMARK /@50']);
    host.shared.send(
      { type: 'ADDED', object: pod('acme--web', 'green', 51, { color: 'green' }) },
      { type: 'MODIFIED', object: pod('acme--default', 'old', 52, { color: 'blue' }) },
    );
    expect(await take(red, 1)).toEqual(['DELETED default/old@52']);
    expect(await take(named, 1)).toEqual(['MODIFIED default/old@52']);
    expect(host.watches).toHaveLength(1);
  });

  it('goes on from a revision that the client knows, and comes over from upstream where the view does not go back', async () => {
    const host = new Host();
    await take(await host.lab.watch(`/api/v1/pods?${INFORMER}`), 2);
    const late = await host.lab.watch('/api/v1/pods?watch=true&resourceVersion=40&allowWatchBookmarks=true');
    expect(host.forwarded).toEqual(['GET /api/v1/pods?resourceVersion=40&allowWatchBookmarks=true&watch=true']);
    const [own] = host.own;
    own?.send({ type: 'MODIFIED', object: pod('acme--default', 'old', 45) }, bookmark(49), bookmark(53));
    expect(await take(late, 3)).toEqual(['MODIFIED default/old@45', 'BOOKMARK /@49', 'BOOKMARK /@53']);
    host.shared.send(
      { type: 'ADDED', object: pod('acme--web', 'told', 52) },
      { type: 'ADDED', object: pod('acme--web', 'new', 54) },
    );
    expect(await take(late, 1)).toEqual(['ADDED web/new@54']);
    expect(own?.closed).toBe(true);
  });

  it('comes over without showing the bookmark to a client that did not ask for one', async () => {
    const host = new Host();
    await take(await host.lab.watch(`/api/v1/pods?${INFORMER}`), 2);
    const late = await host.lab.watch('/api/v1/pods?watch=true&resourceVersion=40');
    host.own[0]?.send(bookmark(53));
    const next = take(late, 1);
    await vi.waitFor(() => expect(host.own[0]?.closed).toBe(true));
    host.shared.send({ type: 'ADDED', object: pod('acme--web', 'new', 54) });
    expect(await next).toEqual(['ADDED web/new@54']);
  });

  it.each([
    ['in one namespace', '/api/v1/namespaces/web/pods?watch=true&resourceVersion=50'],
    ['of another field', '/api/v1/pods?watch=true&resourceVersion=50&fieldSelector=spec.host%3Da'],
    ['from an odd revision', '/api/v1/pods?watch=true&resourceVersion=abc'],
    ['of events', '/api/v1/events?watch=true&resourceVersion=50'],
  ])('is none %s: upstream answers as it does', async (_what, target) => {
    const host = new Host();
    await host.lab.watch(target);
    expect(host.forwarded).toHaveLength(1);
    expect(cache?.counts.views).toBe(0);
  });

  it('is none of a Table, whose columns upstream makes', async () => {
    const host = new Host();
    await host.lab.watch('/api/v1/pods?watch=true&resourceVersion=50', { accept: TABLE });
    expect(host.forwarded).toHaveLength(1);
  });

  it('is none of Secrets where the policy keeps the reader from them', async () => {
    const host = new Host({ readsSecretsAcross: false });
    await expect(host.lab.watch('/api/v1/secrets?watch=true&resourceVersion=50')).rejects.toMatchObject({
      code: 'ERR_FORBIDDEN',
    });
    expect(cache?.counts.views).toBe(0);
  });
});
