import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Feed } from '../../test/support/scripted-upstream.ts';
import {
  at,
  bookmark,
  event,
  hostOf,
  reading,
  rest,
  take,
  textOf,
  ViewLab,
  watch,
  widget,
} from '../../test/support/view-lab.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { parseFieldSelector } from '../k8s/selector.ts';
import type { WatchEvent } from '../k8s/types.ts';
import type { View } from './view.ts';

let lab: ViewLab;
beforeEach(() => {
  lab = new ViewLab();
});
afterEach(() => lab[Symbol.dispose]());

describe('a watch of a view', () => {
  async function quiet(pastBytes?: number): Promise<{ view: View; feed: Feed }> {
    const feed = new Feed();
    const objects = [widget('one', 3), widget('two', 4, { labels: { color: 'red' } })];
    const view = lab.view(lab.source(hostOf(at(10), watch(feed))), [reading(10, ...objects)], pastBytes);
    await view.whenReady();
    return { view, feed };
  }

  async function reach(view: View, feed: Feed, version: number): Promise<void> {
    feed.send(bookmark(version));
    await vi.waitFor(() => expect(view.progress).toBe(String(version)));
  }

  it('begins with what is there and the bookmark that ends it, selected', async () => {
    const { view } = await quiet();
    const selection = { label: parseLabelSelector('color=red'), field: parseFieldSelector('') };
    const state = view.snapshot();
    const cursor = lab.open(view, { from: '10', initial: state?.chunks ?? [], endsInitial: true, selection });
    const events = [await cursor.next(), await cursor.next()].map(({ value }) => value);
    expect(events.map((one) => one && textOf(one))).toEqual(['ADDED two@4', 'BOOKMARK @10']);
    expect(events[1]?.object).toEqual({
      kind: 'Widget',
      apiVersion: 'example.com/v1',
      metadata: { resourceVersion: '10', annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
  });

  it('does not go back further than the view does, and waits silently for what is to come', async () => {
    const { view, feed } = await quiet();
    expect(view.watch(lab.asking({ from: '9' }))).toBeUndefined();
    const cursor = lab.open(view, { from: '12' });
    feed.send(event('ADDED', widget('a', 11)), event('ADDED', widget('b', 12)), event('ADDED', widget('c', 13)));
    expect(await take(cursor, 1)).toEqual(['ADDED c@13']);
  });

  it('has a bookmark every minute, with what everybody’s events have reached', async () => {
    const { view, feed } = await quiet();
    const cursor = lab.open(view, { from: '10' });
    await reach(view, feed, 40);
    const next = cursor.next();
    lab.nowMs += 59_000;
    view.tick(lab.nowMs);
    feed.send(event('ADDED', widget('early', 41)));
    expect(textOf((await next).value as WatchEvent)).toBe('ADDED early@41');
    await reach(view, feed, 50);
    const later = cursor.next();
    lab.nowMs += 1_000;
    view.tick(lab.nowMs);
    expect(textOf((await later).value as WatchEvent)).toBe('BOOKMARK @50');
  });

  it('has no bookmark when it did not ask, nor one that says nothing new', async () => {
    const { view, feed } = await quiet();
    const silent = lab.open(view, { from: '10', bookmarks: false, untilMs: lab.nowMs + 70_000 });
    const asking = lab.open(view, { from: '10', untilMs: lab.nowMs + 70_000 });
    const both = Promise.all([rest(silent), rest(asking)]);
    lab.nowMs += 61_000;
    view.tick(lab.nowMs);
    await reach(view, feed, 11);
    lab.nowMs += 10_000;
    view.tick(lab.nowMs);
    expect(await both).toEqual([[], ['BOOKMARK @11']]);
  });

  it('ends when its time is up, with a bookmark two seconds before', async () => {
    const { view, feed } = await quiet();
    const cursor = lab.open(view, { from: '10', untilMs: lab.nowMs + 10_000 });
    await reach(view, feed, 20);
    const all = rest(cursor);
    lab.nowMs += 8_000;
    view.tick(lab.nowMs);
    await reach(view, feed, 30);
    lab.nowMs += 2_000;
    view.tick(lab.nowMs);
    expect(await all).toEqual(['BOOKMARK @20']);
    expect(view.isWatched).toBe(false);
  });

  it('ends with a last bookmark when the view is closed', async () => {
    const { view, feed } = await quiet();
    const cursor = lab.open(view, { from: '10' });
    feed.send(event('ADDED', widget('new', 12)));
    await reach(view, feed, 33);
    view.stop();
    expect(await rest(cursor)).toEqual(['ADDED new@12', 'BOOKMARK @33']);
  });

  it('ends when its client does not read while more happens than is kept, and costs nothing until then', async () => {
    const { view, feed } = await quiet(10_000);
    const slow = lab.open(view, { from: '10' });
    const quick = lab.open(view, { from: '10' });
    const read: string[] = [];
    for (let version = 11; version < 31; version += 1) {
      feed.send(event('MODIFIED', widget('one', version)));
      read.push(...(await take(quick, 1)));
    }
    expect(read).toHaveLength(20);
    expect(await rest(slow)).toEqual([]);
    expect(view.isWatched).toBe(true);
  });

  it('ends when its client is gone, also while it waits', async () => {
    const { view } = await quiet();
    const all = rest(lab.open(view, { from: '10' }));
    lab.ending.abort();
    expect(await all).toEqual([]);
    expect(view.isWatched).toBe(false);
  });
});
