import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Feed, type Scripted, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { ApiError } from '../errors.ts';
import { HostHistory } from '../k8s/host-history.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { parseFieldSelector } from '../k8s/selector.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { TenantId } from '../tenancy/names.ts';
import { type Cache, createCache } from './cache.ts';
import type { View } from './view.ts';

const METADATA = { metadata: { resourceVersion: '10' } };
let nowMs = 0;
let tick: () => void = () => {};
let cache: Cache | undefined;
afterEach(() => cache?.close());

function start(answer: (path: string, isWatch: boolean) => Scripted | undefined, bytes = 1_000_000) {
  const upstream = new ScriptedUpstream(({ path, query = [] }) => {
    const isWatch = query.some(([name]) => name === 'watch');
    return answer(path, isWatch) ?? { status: 200, body: isWatch ? new Feed() : { ...METADATA, items: [] } };
  });
  cache = createCache({
    upstream,
    history: new HostHistory(),
    onError: () => {},
    nowMs: () => nowMs,
    every(_periodMs, call) {
      tick = call;
      return () => {};
    },
    bytes,
    idleMs: 60_000,
    silenceMs: 20,
  });
  return { cache, upstream };
}

function wanted(tenant: string, path: string, objects: JsonObject[] = []) {
  return {
    collection: { identity: { as: 'reader' } as const, path, labels: '', ownerOf: () => undefined },
    collectionKey: path,
    viewKey: `${tenant} ${path}`,
    makeReader: () => ({
      tenant: tenant as TenantId,
      type: { group: '', resource: 'widgets', apiVersion: 'v1', kind: 'Widget', isTypedInLists: false },
      whole: true,
      read: async () => ({ version: '10', objects, list: { apiVersion: 'v1', kind: 'WidgetList' } }),
      show: () => undefined,
    }),
  };
}

function watch(view: View): AbortController {
  const gone = new AbortController();
  const selection = { label: parseLabelSelector(''), field: parseFieldSelector('') };
  view.watch({ selection, from: '10', bookmarks: false, untilMs: Number.POSITIVE_INFINITY, signal: gone.signal });
  return gone;
}

const big: JsonObject = { metadata: { name: 'big', resourceVersion: '3' }, data: 'x'.repeat(600_000) };
const pass = (ms: number): void => {
  nowMs += ms;
  tick();
};

describe('the cache', () => {
  it('has one upstream watch for all tenants, and one view for all watches of a tenant', async () => {
    const { cache, upstream } = start(() => undefined);
    const [acme, again, globex] = ['acme', 'acme', 'globex'].map((tenant) => cache.view(wanted(tenant, '/pods')));
    expect([acme?.isNew, again?.isNew, globex?.isNew]).toEqual([true, false, true]);
    expect(again?.view).toBe(acme?.view);
    expect(globex?.view).not.toBe(acme?.view);
    await Promise.all([acme, globex].map((one) => one?.view.whenReady()));
    await vi.waitFor(() => expect(upstream.texts().filter((text) => text.includes('watch=true'))).toHaveLength(1));
    expect(cache.counts).toMatchObject({ sources: 1, views: 2 });
  });

  it('ends what nobody has used for a while, and the upstream watch with the last', async () => {
    const feed = new Feed();
    const { cache } = start((_path, isWatch) => (isWatch ? { status: 200, body: feed } : undefined));
    const acme = cache.view(wanted('acme', '/pods'))?.view as View;
    cache.view(wanted('globex', '/pods'));
    await acme.whenReady();
    const watching = watch(acme);
    pass(61_000);
    expect(cache.counts).toMatchObject({ sources: 1, views: 1 });
    watching.abort();
    pass(59_000);
    expect(cache.counts.views).toBe(1);
    pass(2_000);
    expect(cache.counts).toEqual({ sources: 0, views: 0, bytes: 0 });
    expect(acme.ended).toBe(true);
  });

  it('makes room by what nobody watches, then keeps nothing new, then lets the largest go', async () => {
    const { cache } = start(() => undefined, 1_000_000);
    const unused = cache.view(wanted('acme', '/one', [big]))?.view as View;
    const used = cache.view(wanted('acme', '/two', [big]))?.view as View;
    await Promise.all([unused.whenReady(), used.whenReady()]);
    watch(used);
    expect(cache.counts.bytes).toBeGreaterThan(1_200_000);
    const third = cache.view(wanted('acme', '/three', [big]))?.view as View;
    expect(unused.ended).toBe(true);
    await third.whenReady();
    watch(third);
    expect(cache.view(wanted('acme', '/four'))).toBeUndefined();
    tick();
    expect([used.ended, third.ended]).toContain(true);
    expect(cache.counts.views).toBe(1);
    expect(cache.view(wanted('acme', '/four'))).toBeDefined();
  });

  it('leaves a collection that cannot be read to upstream, and tries again later', async () => {
    const refused: Scripted = { status: 403, body: { kind: 'Status', code: 403 } };
    let isRefused = true;
    const { cache } = start(() => (isRefused ? refused : undefined));
    const view = cache.view(wanted('acme', '/pods'))?.view as View;
    await expect(view.whenReady()).rejects.toThrow();
    tick();
    isRefused = false;
    expect(cache.view(wanted('acme', '/pods'))).toBeUndefined();
    pass(11_000);
    expect(cache.view(wanted('acme', '/pods'))?.isNew).toBe(true);
  });

  it('keeps nothing once it is closed', async () => {
    const { cache } = start(() => undefined);
    const view = cache.view(wanted('acme', '/pods'))?.view as View;
    await cache.close();
    expect(view.ended).toBe(true);
    expect(cache.view(wanted('acme', '/pods'))).toBeUndefined();
  });
});

describe('an upstream that has gone back to an earlier revision', () => {
  let version: string;
  let views: View[];
  beforeEach(async () => {
    version = '10';
    const { cache } = start((_path, isWatch) =>
      isWatch ? undefined : { status: 200, body: { metadata: { resourceVersion: version }, items: [] } },
    );
    views = ['/one', '/two', '/three'].map((path) => cache.view(wanted('acme', path))?.view as View);
    for (const view of views) {
      await view.whenReady();
      watch(view);
    }
  });

  it('is found to have for all that is kept as soon as it is for one', async () => {
    version = '5';
    pass(10_000);
    await vi.waitFor(() => expect(views.map(({ ended }) => ended)).toEqual([true, true, true]), 10_000);
  });

  it('is kept anew at once: everybody begins anew', async () => {
    version = '5';
    cache?.doubt();
    await vi.waitFor(() => expect(views.map(({ ended }) => ended)).toEqual([true, true, true]), 10_000);
    const one = cache?.view(wanted('acme', '/one'));
    tick();
    const two = cache?.view(wanted('acme', '/two'));
    expect([one?.isNew, two?.isNew]).toEqual([true, true]);
    await Promise.all([one?.view.whenReady(), two?.view.whenReady()]);
    expect(one?.view.snapshot()).toMatchObject({ isLive: true });
  });

  it('is found to have when somebody says so, and is not believed until then', async () => {
    version = '5';
    cache?.doubt();
    expect(views.map((view) => view.snapshot()?.isLive)).toEqual([false, false, false]);
    await vi.waitFor(() => expect(views.map(({ ended }) => ended)).toEqual([true, true, true]), 10_000);
  });

  it('is believed again where it has not', async () => {
    cache?.doubt();
    await vi.waitFor(() => expect(views.map((view) => view.snapshot()?.isLive)).toEqual([true, true, true]), 10_000);
    expect(views.map(({ ended }) => ended)).toEqual([false, false, false]);
  });
});

describe('an upstream that does not answer', () => {
  it.each<[string, () => Promise<never>]>([
    ['that hangs', () => new Promise(() => {})],
    ['with which no connection comes about', () => Promise.reject(new ApiError('ERR_UNAVAILABLE', 'no connection'))],
  ])('%s is noticed while its watch is open, and the watch is begun again where it was', async (_what, hang) => {
    let answering = true;
    const begun: string[] = [];
    const { cache, upstream } = start(() => undefined);
    const ask = upstream.request.bind(upstream);
    upstream.request = (request) => (answering ? ask(request) : hang());
    upstream.stream = async ({ query, signal }) => {
      begun.push(Object.fromEntries(query ?? [])['resourceVersion'] ?? '');
      return { status: 200, headers: {}, chunks: silence(signal as AbortSignal) };
    };
    const view = cache.view(wanted('acme', '/pods'))?.view as View;
    await view.whenReady();
    watch(view);
    pass(10_000);
    expect(view.snapshot()).toMatchObject({ isLive: true });
    answering = false;
    pass(10_000);
    await vi.waitFor(() => expect(view.snapshot()).toMatchObject({ isLive: false }));
    answering = true;
    await vi.waitFor(() => expect(begun).toEqual(['10', '10']), 10_000);
    await vi.waitFor(() => expect(view.snapshot()).toMatchObject({ isLive: true }));
    expect(view.ended).toBe(false);
  });

  /** A watch of which nothing comes, until it is ended. */
  async function* silence(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  }

  it('is one that gives no answer: one that refuses is there', async () => {
    let refusing = false;
    const { cache } = start((_path, isWatch) => (refusing && !isWatch ? { status: 503, body: {} } : undefined));
    const view = cache.view(wanted('acme', '/pods'))?.view as View;
    await view.whenReady();
    watch(view);
    refusing = true;
    pass(10_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(view.snapshot()).toMatchObject({ isLive: true });
  });
});
