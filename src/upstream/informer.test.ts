import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Feed, queryOf, type Scripted, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { ApiError } from '../errors.ts';
import { HostHistory } from '../k8s/host-history.ts';
import type { Informer } from '../k8s/informer.ts';
import type { JsonObject, WatchEvent } from '../k8s/types.ts';
import { createInformer } from './informer.ts';

let ending: AbortController;
let history: HostHistory;
let faults: string[];
/** What the informer told its one subscriber. */
let told: string[];

beforeEach(() => {
  ending = new AbortController();
  history = new HostHistory();
  faults = [];
  told = [];
});
afterEach(() => ending.abort());

/** An informer over a script, one answer a request; the last one repeats. */
function informerOf(...script: Scripted[]): { informer: Informer; upstream: ScriptedUpstream } {
  const upstream = new ScriptedUpstream(() => (script.length > 1 ? script.shift() : script[0]) as Scripted);
  const informer = createInformer({
    upstream,
    identity: { as: 'reader' },
    path: '/apis/example.com/v1/widgets',
    query: [['labelSelector', 'a=b']],
    history,
    signal: ending.signal,
    onError: (error) => faults.push(String(error)),
  });
  informer.subscribe(({ type, object }) => told.push(`${type} ${widgetText(object)}`));
  return { informer, upstream };
}

function widget(name: string, version: number, uid = `uid-${name}`): JsonObject {
  return { metadata: { namespace: 'web', name, uid, resourceVersion: String(version) } };
}
function widgetText({ metadata }: JsonObject): string {
  const { name, uid, resourceVersion } = metadata as Record<string, string>;
  return uid === `uid-${name}` ? `${name}@${resourceVersion}` : `${name}@${resourceVersion} (${uid})`;
}
function list(version: number, ...items: JsonObject[]): Scripted {
  return { status: 200, body: { metadata: { resourceVersion: String(version) }, items } };
}
function watch(feed: Feed): Scripted {
  return { status: 200, body: feed };
}
function event(type: WatchEvent['type'], object: JsonObject): WatchEvent {
  return { type, object };
}
function bookmark(version: number): WatchEvent {
  return event('BOOKMARK', { metadata: { resourceVersion: String(version) } });
}
function gone(name: string, uid = `uid-${name}`) {
  return { namespace: 'web', name, uid };
}
function held(informer: Informer): string[] {
  return [...informer.list()].map(widgetText);
}
const expired: WatchEvent = event('ERROR', { kind: 'Status', code: 410, message: 'too old' });

describe('an informer', () => {
  it('lists, then watches from the revision of the list, with the same selectors', async () => {
    const feed = new Feed();
    const { informer, upstream } = informerOf(list(5, widget('one', 3)), watch(feed));
    expect(informer.synced).toBe(false);
    await informer.whenSynced();
    expect(informer.synced).toBe(true);
    feed.send(
      event('ADDED', widget('two', 6)),
      event('MODIFIED', widget('one', 7)),
      event('DELETED', widget('two', 8)),
    );
    await vi.waitFor(() => expect(told).toEqual(['added one@3', 'added two@6', 'modified one@7', 'deleted two@8']));
    expect(informer.get('web', 'one')).toMatchObject({ metadata: { resourceVersion: '7' } });
    const [first, second] = upstream.requests;
    expect(queryOf(first)).toEqual({ labelSelector: 'a=b' });
    expect(queryOf(second)).toMatchObject({
      labelSelector: 'a=b',
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '5',
    });
  });

  it('goes on from the last revision that it saw when a watch ends, without another list', async () => {
    const { upstream } = informerOf(
      list(5, widget('one', 3)),
      watch(new Feed().send(event('MODIFIED', widget('one', 6)), bookmark(9)).end()),
      watch(new Feed()),
    );
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(3));
    expect(queryOf(upstream.requests[2])).toMatchObject({ watch: 'true', resourceVersion: '9' });
    expect(faults).toEqual([]);
  });

  it.each([
    ['as an event', watch(new Feed().send(expired))],
    ['as an answer', { status: 410, body: { kind: 'Status', code: 410, message: 'too old' } }],
  ])('lists again after a 410 that came %s, and tells the difference', async (_how, refused) => {
    const { informer } = informerOf(
      list(5, widget('stays', 1), widget('changes', 2), widget('goes', 3)),
      refused,
      list(20, widget('stays', 1), widget('changes', 15), widget('comes', 16)),
      watch(new Feed()),
    );
    await vi.waitFor(() =>
      expect(told).toEqual([
        'added stays@1',
        'added changes@2',
        'added goes@3',
        'modified changes@15',
        'added comes@16',
        'deleted goes@3',
      ]),
    );
    expect(held(informer)).toEqual(['stays@1', 'changes@15', 'comes@16']);
  });

  it('believes a list that is older than what it knows, and nothing else: the store was restored', async () => {
    const { informer, upstream } = informerOf(
      list(5, widget('one', 3), widget('other', 4)),
      watch(new Feed().send(event('MODIFIED', widget('other', 6)), event('ADDED', widget('two', 8)), expired)),
      // Revision 6 has been given out again, for something else.
      list(7, widget('one', 3), widget('other', 6), widget('three', 7)),
      watch(new Feed()),
    );
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(4));
    expect(faults).toEqual([expect.stringContaining('went back from 8 to 7')]);
    expect(told.slice(4)).toEqual(['modified one@3', 'modified other@6', 'added three@7', 'deleted two@8']);
    expect(held(informer)).toEqual(['one@3', 'other@6', 'three@7']);
    expect(queryOf(upstream.requests[3])).toMatchObject({ watch: 'true', resourceVersion: '7' });
  });

  it('looks, when a watch has failed, whether the store went back: a watch of what is to come would be silent', async () => {
    const { informer, upstream } = informerOf(
      list(8, widget('one', 3), widget('two', 8)),
      { status: 503, body: { kind: 'Status', message: 'down' } },
      list(6),
      list(6, widget('one', 3)),
      watch(new Feed()),
    );
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(5));
    expect(queryOf(upstream.requests[2])).toMatchObject({ limit: '1', labelSelector: 'a=b' });
    expect(held(informer)).toEqual(['one@3']);
  });

  it('lists again where others have found that the store went back, though the host has come as far again meanwhile', async () => {
    const { informer, upstream } = informerOf(
      list(8, widget('one', 3), widget('two', 8)),
      watch(new Feed()),
      list(9, widget('one', 3)),
      watch(new Feed()),
    );
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(2));
    history.foundRestored(history.restores);
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(4));
    expect(told.slice(2)).toEqual(['modified one@3', 'deleted two@8']);
    expect(held(informer)).toEqual(['one@3']);
    expect(queryOf(upstream.requests[3])).toMatchObject({ watch: 'true', resourceVersion: '9' });
  });

  it('looks for that too, and tells nobody, when a watch was silent for long: so is one of what nothing happens to', async () => {
    const silence = new ApiError('ERR_TIMEOUT', 'silent', { why: 'upstream-silent' });
    const { upstream } = informerOf(list(8), watch(new Feed().fail(silence)), list(8), watch(new Feed()));
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(4));
    expect(queryOf(upstream.requests[2])).toMatchObject({ limit: '1' });
    expect(queryOf(upstream.requests[3])).toMatchObject({ watch: 'true', resourceVersion: '8' });
    expect(faults).toEqual([]);
  });

  it('tells others once that the store went back, and does not take it from them again', async () => {
    let found = 0;
    history.subscribe(() => (found += 1));
    const { upstream } = informerOf(
      list(8),
      { status: 503, body: { kind: 'Status', message: 'down' } },
      list(6),
      list(6),
      watch(new Feed()),
    );
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(5));
    expect([found, history.restores]).toEqual([1, 1]);
  });

  it('goes on where there is nothing: of metadata alone the API server then lists no items at all', async () => {
    const { upstream } = informerOf(
      list(5),
      { status: 503, body: { kind: 'Status', message: 'down' } },
      { status: 200, body: { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '6' }, items: null } },
      watch(new Feed()),
    );
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(4));
    expect(queryOf(upstream.requests[3])).toMatchObject({ watch: 'true', resourceVersion: '5' });
  });

  it('tries again after a refusal, and pauses after a watch that ends at once', async () => {
    const { informer, upstream } = informerOf(
      { status: 503, body: { kind: 'Status', message: 'not yet' } },
      list(5),
      watch(new Feed().end()),
      list(5),
      watch(new Feed()),
    );
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(5));
    expect(informer.synced).toBe(true);
    expect(faults).toEqual([expect.stringContaining('503: not yet'), expect.stringContaining('200 and nothing')]);
  });

  it('outlives a listener that throws', async () => {
    const feed = new Feed();
    const { informer } = informerOf(list(5), watch(feed));
    await informer.whenSynced();
    informer.subscribe(() => {
      throw new Error('a fault of the listener');
    });
    feed.send(event('ADDED', widget('one', 6)), event('ADDED', widget('two', 7)));
    await vi.waitFor(() => expect(told).toEqual(['added one@6', 'added two@7']));
    expect(faults).toHaveLength(2);
  });
});

describe('noting a write', () => {
  it('takes it at once, and once', async () => {
    const feed = new Feed();
    const { informer } = informerOf(list(5, widget('one', 3)), watch(feed));
    await informer.whenSynced();
    informer.note(widget('one', 8));
    informer.note(widget('two', 7));
    expect(held(informer)).toEqual(['one@8', 'two@7']);
    feed.send(event('ADDED', widget('two', 7)), event('MODIFIED', widget('one', 8)), bookmark(9));
    feed.send(event('ADDED', widget('three', 10)));
    await vi.waitFor(() => expect(told).toEqual(['added one@3', 'modified one@8', 'added two@7', 'added three@10']));
  });

  it('changes nothing when a newer one is known, or the watch has passed it', async () => {
    const feed = new Feed().send(event('DELETED', widget('one', 9)), event('ADDED', widget('two', 10)));
    const { informer } = informerOf(list(5, widget('one', 3)), watch(feed));
    await vi.waitFor(() => expect(held(informer)).toEqual(['two@10']));
    informer.note(widget('one', 8));
    informer.note(widget('two', 7));
    expect(held(informer)).toEqual(['two@10']);
  });

  it('is not undone by a list from before it', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Scripted>();
    const script = [list(5), watch(new Feed().send(expired)), answer.promise, watch(new Feed())];
    const upstream = new ScriptedUpstream(() => {
      if (script.length === 2) asked.resolve();
      return script.shift() ?? watch(new Feed());
    });
    const informer = createInformer({
      upstream,
      identity: { as: 'reader' },
      path: '/apis/example.com/v1/widgets',
      history,
      signal: ending.signal,
    });
    await asked.promise;
    informer.note(widget('new', 12));
    answer.resolve(list(11));
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(4));
    expect(held(informer)).toEqual(['new@12']);
  });
});

describe('forgetting what was deleted', () => {
  it('takes it at once, and tells it once', async () => {
    const feed = new Feed();
    const { informer } = informerOf(list(5, widget('one', 3), widget('two', 4)), watch(feed));
    await informer.whenSynced();
    informer.forget(gone('one'));
    expect(held(informer)).toEqual(['two@4']);
    feed.send(event('DELETED', widget('one', 6)), event('ADDED', widget('three', 7)));
    await vi.waitFor(() => expect(told).toEqual(['added one@3', 'added two@4', 'deleted one@3', 'added three@7']));
  });

  it('is not undone by what the watch says from before the deletion', async () => {
    const feed = new Feed();
    const { informer } = informerOf(list(5, widget('one', 3)), watch(feed));
    await informer.whenSynced();
    informer.forget(gone('one'));
    informer.note(widget('one', 6));
    feed.send(event('MODIFIED', widget('one', 6)), event('ADDED', widget('two', 7)));
    await vi.waitFor(() => expect(held(informer)).toEqual(['two@7']));
    expect(told).toEqual(['added one@3', 'deleted one@3', 'added two@7']);
  });

  it('is not undone by a list that still has it', async () => {
    const feed = new Feed();
    const { informer, upstream } = informerOf(
      list(5, widget('one', 3)),
      watch(feed),
      list(8, widget('one', 6), widget('two', 7)),
      watch(new Feed()),
    );
    await informer.whenSynced();
    informer.forget(gone('one'));
    feed.send(expired);
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(4));
    expect(held(informer)).toEqual(['two@7']);
  });

  it('leaves the next object of that name, also when the watch comes to the end of the old one', async () => {
    const feed = new Feed();
    const { informer } = informerOf(list(5, widget('one', 3)), watch(feed));
    await informer.whenSynced();
    informer.forget(gone('one'));
    informer.note(widget('one', 9, 'second'));
    informer.forget(gone('one'));
    expect(held(informer)).toEqual(['one@9 (second)']);
    feed.send(event('DELETED', widget('one', 8)), event('ADDED', widget('one', 9, 'second')));
    feed.send(event('MODIFIED', widget('one', 10, 'second')));
    await vi.waitFor(() => expect(held(informer)).toEqual(['one@10 (second)']));
    expect(told).toEqual(['added one@3', 'deleted one@3', 'added one@9 (second)', 'modified one@10 (second)']);
  });

  it('holds for an object that was never seen', async () => {
    const feed = new Feed();
    const { informer } = informerOf(list(5), watch(feed));
    await informer.whenSynced();
    informer.forget(gone('short'));
    feed.send(
      event('ADDED', widget('short', 6)),
      event('DELETED', widget('short', 7)),
      event('ADDED', widget('two', 8)),
    );
    await vi.waitFor(() => expect(told).toEqual(['added two@8']));
  });
});
