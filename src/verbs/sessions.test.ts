import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SharingHost } from '../../test/support/sharing-host.ts';

const ALL = '/api/v1/pods';
const ONE = '/api/v1/namespaces/default/pods';

let host: SharingHost;
beforeEach(async () => {
  host = new SharingHost({ isSession: true });
  await host.inform(ALL);
});
afterEach(() => host.close());

/** Whether upstream was asked for it. */
async function asks(target: string): Promise<boolean> {
  const before = host.lab.upstream.requests.length;
  const reply = await host.lab.request('GET', target);
  const asked = host.lab.upstream.requests.length > before;
  expect(reply.kind).toBe(asked ? 'object' : 'printed');
  return asked;
}

describe('a read that names no revision, under a policy of sessions', () => {
  it('is answered by upstream until it is known how far the tenant has written, and then from memory', async () => {
    expect(await asks(ALL)).toBe(true);
    for (const target of [ALL, ONE, `${ONE}/old`, `${ALL}?limit=5`, `${ALL}?labelSelector=color%3Dred`]) {
      expect(await asks(target), target).toBe(false);
    }
  });

  it.each([
    `${ALL}?resourceVersion=50&resourceVersionMatch=Exact`,
    `${ALL}?limit=1&continue=`,
    `${ALL}?limit=x`,
    `${ONE}/other`,
    `${ONE}/old/status`,
  ])('is upstream’s where it asks for more than memory can tell, or for what is not there: %s', async (target) => {
    await asks(ALL);
    await host.lab.request('GET', target).then(
      ({ kind }) => expect(kind === 'printed').toBe(target.endsWith('continue=')),
      () => {},
    );
  });

  it('has what the tenant wrote: memory is asked again when it has come so far', async () => {
    await asks(ALL);
    host.written = host.pod('acme--default', 'new', 55);
    await host.lab.request('POST', ONE, { body: { metadata: { name: 'new' } } });
    host.revision = 56;
    expect(await asks(ONE)).toBe(true);
    await host.reached(56);
    expect(await asks(ONE)).toBe(false);
  });

  it('has what the tenant deleted: upstream is asked for the revision, and memory when it has come so far', async () => {
    await asks(ALL);
    await host.lab.request('DELETE', `${ONE}/old`);
    await host.reached(70);
    expect(await asks(`${ONE}/old`)).toBe(true);
    host.revision = 80;
    expect(await asks(ALL)).toBe(true);
    expect(await asks(ALL)).toBe(true);
    await host.reached(80);
    expect(await asks(ALL)).toBe(false);
  });

  it('is not answered from memory while upstream is away', async () => {
    await asks(ALL);
    host.isDown = true;
    host.shared.end();
    await vi.waitFor(async () => {
      await expect(host.lab.request('GET', ALL)).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' });
    });
  });

  it('begins nothing that is to be kept: what nobody watches is read of upstream', async () => {
    const { views } = host.cache.counts;
    for (const _twice of [1, 2]) expect(await asks('/api/v1/services')).toBe(true);
    expect(host.cache.counts.views).toBe(views);
  });
});

it('a read that names no revision is upstream’s under any other policy', async () => {
  await using other = new SharingHost();
  await other.inform(ALL);
  for (const _again of [1, 2]) expect((await other.lab.request('GET', ALL)).kind).toBe('object');
});
