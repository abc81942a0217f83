import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Feed, queryOf, type Scripted, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import {
  at,
  bookmark,
  EXPIRED,
  event,
  hostOf,
  itemsOf,
  reading,
  rest,
  take,
  up,
  ViewLab,
  watch,
  widget,
} from '../../test/support/view-lab.ts';
import { ApiError } from '../errors.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { parseFieldSelector } from '../k8s/selector.ts';
import type { Reading } from './view.ts';

let lab: ViewLab;
beforeEach(() => {
  lab = new ViewLab();
});
afterEach(() => lab[Symbol.dispose]());

describe('a view', () => {
  it('is what was read, and what came since, also while it was read', async () => {
    const feed = new Feed();
    const read = Promise.withResolvers<Reading>();
    const view = lab.view(lab.source(hostOf(at(10), watch(feed))), [read.promise]);
    feed.send(event('ADDED', widget('before', 11)), event('ADDED', widget('during', 13)));
    await vi.waitFor(() => expect(lab.sources[0]?.progress).toBe('13'));
    expect(view.snapshot()).toBeUndefined();
    read.resolve(reading(12, widget('before', 11), widget('old', 3)));
    await view.whenReady();
    feed.send(event('DELETED', widget('old', 14)));
    await vi.waitFor(() => expect(view.progress).toBe('14'));
    expect(itemsOf(view).map(({ key, version }) => `${key}@${version}`)).toEqual(['web/before@11', 'web/during@13']);
    expect(await take(lab.open(view, { from: '12' }), 2)).toEqual(['ADDED during@13', 'DELETED old@14']);
  });

  it('keeps the order of keys, whatever comes and goes', async () => {
    const feed = new Feed();
    const view = lab.view(lab.source(hostOf(at(10), watch(feed))), [reading(10, widget('m', 1), widget('c', 2))]);
    await view.whenReady();
    feed.send(...['a', 'z', 'd', 'n'].map((name, index) => event('ADDED', widget(name, 11 + index))));
    feed.send(event('DELETED', widget('d', 20)), event('MODIFIED', widget('m', 21)));
    await vi.waitFor(() => expect(view.progress).toBe('21'));
    expect(itemsOf(view).map(({ key }) => key)).toEqual(['web/a', 'web/c', 'web/m', 'web/n', 'web/z']);
  });

  it('hears of its own tenant’s objects only, and moves on with everybody’s', async () => {
    const feed = new Feed();
    const view = lab.view(lab.source(hostOf(at(10), watch(feed))), [reading(10)]);
    await view.whenReady();
    const cursor = lab.open(view, { from: '10' });
    feed.send(
      { type: 'ADDED', object: up(widget('foreign', 11), 'globex') },
      { type: 'ADDED', object: up(widget('alike', 12), 'acme-eu') },
      event('ADDED', widget('mine', 13)),
      { type: 'ADDED', object: up(widget('foreign', 14), 'globex') },
    );
    expect(await take(cursor, 1)).toEqual(['ADDED mine@13']);
    await vi.waitFor(() => expect(view.progress).toBe('14'));
    expect(itemsOf(view)).toHaveLength(1);
  });

  it('does not believe a reading that is older than what was known when it began', async () => {
    const view = lab.view(lab.source(hostOf(at(10))), [reading(9)]);
    await expect(view.whenReady()).rejects.toThrow('went back from 10 to 9');
    expect(view.ended).toBe(true);
  });

  it('tells the difference after a gap, so that its watches go on', async () => {
    const first = new Feed();
    const second = new Feed();
    const upstream = hostOf(at(10), watch(first), at(20), watch(second));
    const view = lab.view(lab.source(upstream), [
      reading(10, widget('stays', 1), widget('changes', 2), widget('goes', 3), widget('again', 4)),
      reading(
        21,
        widget('stays', 1),
        widget('changes', 15),
        widget('comes', 16),
        widget('again', 17, { uid: 'other' }),
      ),
    ]);
    await view.whenReady();
    const cursor = lab.open(view, { from: '10' });
    first.send(EXPIRED);
    second.send(event('ADDED', widget('comes', 16)), event('ADDED', widget('after', 22)));
    expect(await take(cursor, 6)).toEqual([
      'DELETED again@10',
      'DELETED goes@10',
      'MODIFIED changes@15',
      'ADDED comes@16',
      'ADDED again@17',
      'ADDED after@22',
    ]);
    expect(queryOf(upstream.requests[3])).toMatchObject({ watch: 'true', resourceVersion: '20' });
  });

  it('loses no deletion for those who go on from within a gap: nobody knows when in it they were', async () => {
    const first = new Feed();
    const view = lab.view(lab.source(hostOf(at(10), watch(first), at(20), watch(new Feed()))), [
      reading(10, widget('one', 1), widget('two', 2), widget('three', 3)),
      reading(20, widget('new', 15)),
    ]);
    await view.whenReady();
    // It was told by another replica, which is ahead.
    const ahead = lab.open(view, { from: '12' });
    const cursor = lab.open(view, { from: '10' });
    first.send(EXPIRED);
    expect(await take(cursor, 4)).toEqual(['DELETED one@10', 'DELETED two@10', 'DELETED three@10', 'ADDED new@15']);
    expect(await rest(ahead)).toEqual([]);
    for (const from of ['10', '12', '15', '19']) expect(view.watch(lab.asking({ from })), from).toBeUndefined();
    expect(view.watch(lab.asking({ from: '20' }))).toBeDefined();
  });

  it('leaves no object behind with those who go on from within a gap: it may have been selected in between', async () => {
    const first = new Feed();
    const view = lab.view(lab.source(hostOf(at(10), watch(first), at(20), watch(new Feed()))), [
      reading(10, widget('one', 1, { labels: { color: 'blue' } })),
      reading(20, widget('one', 15, { labels: { color: 'green' } })),
    ]);
    await view.whenReady();
    const selection = { label: parseLabelSelector('color=red'), field: parseFieldSelector('') };
    // It has been told by another replica that it became red at 11.
    const ahead = lab.open(view, { from: '12', selection });
    const cursor = lab.open(view, { from: '10' });
    first.send(EXPIRED);
    expect(await take(cursor, 1)).toEqual(['MODIFIED one@15']);
    expect(await rest(ahead)).toEqual([]);
    for (const from of ['11', '12', '19']) expect(view.watch(lab.asking({ from, selection })), from).toBeUndefined();
    for (const from of ['10', '20']) expect(view.watch(lab.asking({ from, selection })), from).toBeDefined();
  });

  it('reads again what was read across a gap, and says nothing of what lies beyond meanwhile', async () => {
    const first = new Feed();
    const read = Promise.withResolvers<Reading>();
    const source = lab.source(hostOf(at(10), watch(first), at(20)));
    const view = lab.view(source, [read.promise, reading(20, widget('lost', 15))]);
    await source.whenStarted();
    first.send(EXPIRED);
    await vi.waitFor(() => expect(source.progress).toBe('20'));
    read.resolve(reading(12));
    await view.whenReady();
    expect(view.snapshot()).toMatchObject({ version: '20', chunks: [{ items: [{ key: 'web/lost' }] }] });
  });

  it('ends every watch with 410 when the host’s store is older than what is known', async () => {
    const first = new Feed();
    const view = lab.view(lab.source(hostOf(at(10), watch(first), at(5))), [reading(10, widget('one', 3))]);
    await view.whenReady();
    const cursor = lab.open(view, { from: '10' });
    first.send(event('MODIFIED', widget('one', 12)), EXPIRED);
    expect(await rest(cursor)).toEqual(['MODIFIED one@12', 'ERROR @']);
    expect(view.watch(lab.asking({ from: '12' }))).toBeUndefined();
  });

  it('is not waited for when upstream does not answer from the start', async () => {
    const upstream = new ScriptedUpstream(() => {
      throw new ApiError('ERR_UNAVAILABLE', 'down');
    });
    const view = lab.view(lab.source(upstream), []);
    await expect(view.whenReady()).rejects.toThrow('has ended');
    expect(upstream.requests).toHaveLength(1);
  });

  it('goes on after a refusal by an API server that has not read its roles yet', async () => {
    const first = new Feed();
    const second = new Feed();
    const refused: Scripted = { status: 403, body: { kind: 'Status', code: 403 } };
    const view = lab.view(lab.source(hostOf(at(10), watch(first), refused, at(11), watch(second))), [reading(10)]);
    await view.whenReady();
    const cursor = lab.open(view, { from: '10' });
    first.send(bookmark(11)).end();
    second.send(event('ADDED', widget('after', 12)));
    expect(await take(cursor, 1)).toEqual(['ADDED after@12']);
  });

  it('ends when upstream will not have its watch', async () => {
    const gone: Scripted = { status: 404, body: { kind: 'Status', code: 404 } };
    const first = new Feed();
    const view = lab.view(lab.source(hostOf(at(10), watch(first), gone)), [reading(10)]);
    await view.whenReady();
    const cursor = lab.open(view, { from: '10' });
    first.send(bookmark(11)).end();
    expect(await rest(cursor)).toEqual(['BOOKMARK @11']);
  });
});

describe('a small view that has to be the newest', () => {
  /** A view at revision 10 with two widgets, a watch of which the test holds the other end, and what is read next. */
  async function small(next: Reading | Promise<Reading>) {
    const feed = new Feed();
    const source = lab.source(hostOf(at(10), watch(feed)));
    const view = lab.view(source, [reading(10, widget('one', 3), widget('two', 7)), next]);
    await view.whenReady();
    return { feed, view };
  }

  it('is read again, and tells its watches what they had not been told yet, once', async () => {
    const { feed, view } = await small(reading(15, widget('one', 12), widget('three', 14)));
    const cursor = lab.open(view, { from: '10' });
    await view.fresh(1_000_000);
    expect(view.progress).toBe('15');
    expect(itemsOf(view).map(({ key }) => key)).toEqual(['web/one', 'web/three']);
    expect(await take(cursor, 3)).toEqual(['DELETED two@10', 'MODIFIED one@12', 'ADDED three@14']);
    feed.send(
      event('MODIFIED', widget('one', 12)),
      event('ADDED', widget('three', 14)),
      event('ADDED', widget('four', 20)),
    );
    expect(await take(cursor, 1)).toEqual(['ADDED four@20']);
  });

  it('is left as it is where the watch was faster', async () => {
    const read = Promise.withResolvers<Reading>();
    const { feed, view } = await small(read.promise);
    const fresh = view.fresh(1_000_000);
    feed.send(event('DELETED', widget('two', 18)));
    await feed.idle();
    read.resolve(reading(15, widget('one', 3), widget('two', 7)));
    await fresh;
    expect(view.progress).toBe('18');
    expect(itemsOf(view).map(({ key }) => key)).toEqual(['web/one']);
  });

  it('is not known to be the newest where it cannot be read', async () => {
    const { view } = await small(Promise.reject(new Error('no answer')));
    await expect(view.fresh(1_000_000)).rejects.toThrow('no answer');
    expect(itemsOf(view)).toHaveLength(2);
  });
});
