import { appendFile, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Feed } from '../../test/support/scripted-upstream.ts';
import { at, bookmark, event, hostOf, reading, ViewLab, watch, widget } from '../../test/support/view-lab.ts';
import type { View } from '../cache/view.ts';
import { createSnapshots, type Snapshots } from './snapshots.ts';

const KEY = '/apis/example.com/v1/widgets?';

let folder: string;
let lab: ViewLab;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeveil-snapshots-'));
  lab = new ViewLab();
});
afterEach(async () => {
  lab[Symbol.dispose]();
  await rm(folder, { recursive: true });
});

function snapshots(cluster: string | undefined = 'cluster-1'): Snapshots & { faults: unknown[] } {
  const faults: unknown[] = [];
  return { ...createSnapshots({ folder, cluster: () => cluster, onError: (error) => faults.push(error) }), faults };
}

async function viewOf(feed = new Feed()): Promise<View> {
  const source = lab.source(hostOf(at(10), watch(feed)));
  const view = lab.view(source, [reading(10, widget('one', 3, { labels: { text: 'ä\n"' } }), widget('two', 7))]);
  await view.whenReady();
  return view;
}

async function saved(to = snapshots()): Promise<View> {
  const view = await viewOf();
  await save(to, view);
  return view;
}

async function save(to: Snapshots, view: View): Promise<void> {
  const state = view.snapshot();
  if (state === undefined) throw new Error('the view is not ready');
  await to.save(KEY, view.list, state);
}

/** The two files of the one collection: its objects and its head. */
async function files(): Promise<[objects: string, head: string]> {
  const [objects = '', head = '', ...more] = (await readdir(folder)).sort();
  expect([head, more]).toEqual([`${objects}.head`, []]);
  return [join(folder, objects), join(folder, head)];
}

describe('what was written down', () => {
  it('is read as it was, with the revision up to which it is complete', async () => {
    await saved();
    expect(await snapshots().load(KEY)).toEqual({
      version: '10',
      list: { apiVersion: 'example.com/v1', kind: 'WidgetList' },
      objects: [widget('one', 3, { labels: { text: 'ä\n"' } }), widget('two', 7)],
    });
  });

  it('is read by nobody but its owner', async () => {
    await saved();
    for (const file of await files()) expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('moves on with what is told of progress, without the objects being written again', async () => {
    const feed = new Feed();
    const view = await viewOf(feed);
    const to = snapshots();
    await save(to, view);
    const [objects] = await files();
    const before = await stat(objects);
    feed.send(bookmark(20));
    await feed.idle();
    await save(to, view);
    expect((await stat(objects)).ino).toBe(before.ino);
    expect(await snapshots().load(KEY)).toMatchObject({ version: '20' });
    feed.send(event('DELETED', widget('one', 25)));
    await feed.idle();
    await save(to, view);
    expect(await snapshots().load(KEY)).toMatchObject({ version: '25', objects: [widget('two', 7)] });
  });
});

describe('nothing is gone on from', () => {
  it('where nothing was written', async () => {
    const one = snapshots();
    expect(await one.load(KEY)).toBeUndefined();
    expect(one.faults).toEqual([]);
  });

  it('that is of another cluster, or of another collection, or of a cluster that is not known', async () => {
    await saved();
    expect(await snapshots('cluster-2').load(KEY)).toBeUndefined();
    expect(await snapshots().load(`${KEY}spec.nodeName=a`)).toBeUndefined();
    const unknown = createSnapshots({ folder, cluster: () => undefined, onError: () => {} });
    expect(await unknown.load(KEY)).toBeUndefined();
  });

  it.each<[what: string, harm: (objects: string, head: string) => Promise<void>]>([
    ['objects that were cut off', async (objects) => truncate(objects, 20)],
    ['objects that something was added to', async (objects) => appendFile(objects, '{}\n')],
    ['a head that is no JSON', async (_objects, head) => writeFile(head, '{"format":')],
    ['objects that are gone', async (objects) => rm(objects)],
  ])('%s', async (_what, harm) => {
    await saved();
    await harm(...(await files()));
    expect(await snapshots().load(KEY)).toBeUndefined();
  });
});
