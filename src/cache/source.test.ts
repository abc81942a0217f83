import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Feed, queryOf, type Scripted } from '../../test/support/scripted-upstream.ts';
import { at, bookmark, EXPIRED, event, hostOf, ViewLab, watch, widget } from '../../test/support/view-lab.ts';
import { ApiError } from '../errors.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Source } from './source.ts';

let lab: ViewLab;
beforeEach(() => {
  lab = new ViewLab();
});
afterEach(() => lab[Symbol.dispose]());

/** A source at revision 10, with the answers to what is asked of upstream after its watch has begun. */
async function started(feed: Feed, ...script: Array<Scripted | Promise<Scripted>>) {
  const upstream = hostOf(at(10), watch(feed), ...script);
  const source = lab.source(upstream);
  await source.whenStarted();
  await feed.idle();
  return { source, upstream };
}

async function settled(source: Source): Promise<string> {
  return await source.fresh().then(
    () => `fresh at ${source.progress}`,
    (error: unknown) => String(error),
  );
}

describe('knowing that everything was told', () => {
  it('costs one small request where it is so already', async () => {
    const { source, upstream } = await started(new Feed(), at(10));
    expect(await settled(source)).toBe('fresh at 10');
    expect(upstream.requests).toHaveLength(3);
    expect(queryOf(upstream.requests[2])).toEqual({ limit: '1' });
  });

  it('takes the bookmark of a short watch for its own, when no event came before it', async () => {
    const { source, upstream } = await started(new Feed(), at(15), watch(new Feed().send(bookmark(16))));
    expect(await settled(source)).toBe('fresh at 16');
    expect(queryOf(upstream.requests[3])).toMatchObject({ watch: 'true', resourceVersion: '10', timeoutSeconds: '3' });
  });

  it('waits until the watch has told the last event that the short one was told', async () => {
    const feed = new Feed();
    const short = new Feed().send(event('ADDED', widget('one', 14)), bookmark(16));
    const { source } = await started(feed, at(15), watch(short));
    const fresh = settled(source);
    await vi.waitFor(() => expect(short.closed).toBe(true));
    expect(source.progress).toBe('10');
    feed.send(event('ADDED', widget('one', 14)));
    expect(await fresh).toBe('fresh at 16');
  });

  it('is not believed by a bookmark from before the question', async () => {
    const short = new Feed().send(bookmark(14)).end();
    const { source } = await started(new Feed(), at(15), watch(short));
    expect(await settled(source)).toContain('gave no bookmark');
    expect(source.progress).toBe('10');
  });

  it('is asked once for all who ask meanwhile, and again for who asks after it was begun', async () => {
    const { source, upstream } = await started(new Feed(), at(10), at(10));
    const first = settled(source);
    const together = settled(source);
    await first;
    const later = settled(source);
    expect(await Promise.all([first, together, later])).toEqual(Array(3).fill('fresh at 10'));
    expect(upstream.requests).toHaveLength(4);
  });
});

describe('a source of what is known already', () => {
  it('goes on from there, with the selector of its collection in each request', async () => {
    const upstream = hostOf(at(10), watch(new Feed()));
    const source = lab.source(upstream, { from: '7', fields: 'spec.nodeName=a' });
    await source.whenStarted();
    expect(source.progress).toBe('7');
    await vi.waitFor(() => expect(upstream.requests).toHaveLength(2));
    expect(upstream.requests.map(queryOf)).toMatchObject([
      { limit: '1', fieldSelector: 'spec.nodeName=a' },
      { watch: 'true', resourceVersion: '7', fieldSelector: 'spec.nodeName=a' },
    ]);
  });

  it('begins at "now", and has its views read everything, where upstream has no longer what came since', async () => {
    const upstream = hostOf(at(10), watch(new Feed().send(EXPIRED).end()), at(12), watch(new Feed()));
    const source = lab.source(upstream, { from: '7' });
    const gap = new Promise<void>((resolve) => {
      source.subscribe({ tenant: 'acme' as TenantId, event() {}, gap: resolve, failed() {} });
    });
    await gap;
    await vi.waitFor(() => expect(source.progress).toBe('12'));
  });

  it('stays connected when its watch was silent for long, and is not when it breaks', async () => {
    for (const why of ['upstream-silent', 'upstream-down']) {
      const feed = new Feed();
      const asked = Promise.withResolvers<Scripted>();
      const { source, upstream } = await started(feed, asked.promise, watch(new Feed()));
      lab.faults.length = 0;
      feed.fail(new ApiError('ERR_TIMEOUT', 'of a test', { why }));
      await vi.waitFor(() => expect(upstream.requests).toHaveLength(3));
      expect([source.connected, lab.faults.length]).toEqual(why === 'upstream-silent' ? [true, 0] : [false, 1]);
      asked.resolve(at(10));
      await vi.waitFor(() => expect(upstream.requests).toHaveLength(4));
      await vi.waitFor(() => expect(source.connected).toBe(true));
    }
  });

  it('ends when upstream is found to have gone back while the watch is open, however it is found', async () => {
    for (const find of [(source: Source) => source.answers(1_000), (source: Source) => settled(source)]) {
      const feed = new Feed();
      const { source } = await started(feed, at(9), at(9));
      await find(source);
      await vi.waitFor(() => expect(source.ended).toBe(true));
      expect(feed.closed).toBe(true);
    }
  });

  it('ends where others have found that upstream went back, though it has come as far again meanwhile', async () => {
    const feed = new Feed();
    const { source } = await started(feed, at(11));
    const why = new Promise((resolve) => {
      source.subscribe({ tenant: 'acme' as TenantId, event() {}, gap() {}, failed: resolve });
    });
    lab.history.foundRestored(lab.history.restores);
    expect(await why).toBe('restored');
    expect([source.ended, feed.closed]).toEqual([true, true]);
  });

  it('ends where upstream has not come so far: its store was restored', async () => {
    const source = lab.source(hostOf(at(6)), { from: '7' });
    await expect(source.whenStarted()).rejects.toThrow('has ended');
    expect(lab.faults).toEqual([expect.stringContaining('its store was restored')]);
  });
});
