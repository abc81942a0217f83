import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SharingHost } from '../../test/support/sharing-host.ts';
import { Sessions } from './sessions.ts';

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
    const more = [`${ALL}?limit=5`, `${ALL}?limit=1&continue=`, `${ALL}?labelSelector=color%3Dred`];
    for (const target of [ALL, ONE, `${ONE}/old`, ...more]) {
      expect(await asks(target), target).toBe(false);
    }
  });

  it.each([`${ALL}?resourceVersion=50&resourceVersionMatch=Exact`, `${ONE}/other`, `${ONE}/old/status`])(
    'is upstream’s where it asks for more than memory can tell, or for what is not there: %s',
    async (target) => {
      await asks(ALL);
      expect(await asks(target)).toBe(true);
    },
  );

  it('is refused as it would be upstream where its limit is no number', async () => {
    await asks(ALL);
    await expect(host.lab.request('GET', `${ALL}?limit=x`)).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
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

  it('ends what is in memory where the host went back to a backup, and asks for no more than there is now', async () => {
    await asks(ALL);
    host.written = host.pod('acme--default', 'new', 55);
    await host.lab.request('POST', ONE, { body: { metadata: { name: 'new' } } });
    host.revision = 40;
    expect(await asks(ALL)).toBe(true);
    // What was in memory is of another time.
    await vi.waitFor(() => expect(host.cache.counts.views).toBe(0), 10_000);
    expect(await asks(ALL)).toBe(true);
    expect(host.lab.deps.sessions.floor(host.lab.call('GET', ALL))).toBe('40');
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

describe('a write that ends while a list is under way', () => {
  /** What is known after the writes, the last list having been answered at revision 10. */
  function floorAfter(before: readonly string[], meanwhile: readonly string[]): string | undefined {
    const sessions = new Sessions(() => {});
    const call = host.lab.call('GET', ALL);
    sessions.listing(call)('5');
    for (const version of before) sessions.wrote(call, version);
    const learned = sessions.listing(call);
    for (const version of meanwhile) sessions.wrote(call, version);
    learned('10');
    return sessions.floor(call);
  }

  it.each([
    [[], [], '10'],
    [[], ['11'], '11'],
    [[], ['11', '12', '9'], '12'],
    [[''], [], '10'],
    [[''], ['11'], '11'],
    [[''], ['9'], '10'],
    [['11', ''], [], '10'],
    [['11', ''], ['12'], '12'],
    [[], ['11', ''], undefined],
    [[], ['', '11'], undefined],
  ])('counts for what follows (%j before it, %j meanwhile)', (before, meanwhile, floor) => {
    expect(floorAfter(before, meanwhile)).toBe(floor);
  });

  it('counts for the first list as well', () => {
    const sessions = new Sessions(() => {});
    const call = host.lab.call('GET', ALL);
    const learned = sessions.listing(call);
    sessions.wrote(call, '11');
    expect(sessions.floor(call)).toBeUndefined();
    learned('10');
    expect(sessions.floor(call)).toBe('11');
  });
});

describe('a list that is older than what was known before it was asked for', () => {
  let restored: number;
  let sessions: Sessions;
  let call: ReturnType<typeof host.lab.call>;
  beforeEach(() => {
    restored = 0;
    sessions = new Sessions(() => (restored += 1));
    call = host.lab.call('GET', ALL);
    sessions.listing(call)('50');
    sessions.wrote(call, '55');
  });

  it('says that the host was restored, and the next one how far it has come', () => {
    sessions.listing(call)('40');
    expect([restored, sessions.floor(call)]).toEqual([1, undefined]);
    sessions.wrote(call, '41');
    sessions.listing(call)('42');
    expect([restored, sessions.floor(call)]).toEqual([1, '42']);
  });

  it('says so as well where a write came meanwhile, and does not count without it', () => {
    const learned = sessions.listing(call);
    sessions.wrote(call, '41');
    learned('40');
    expect([restored, sessions.floor(call)]).toEqual([1, undefined]);
  });

  it('says nothing of the kind where it was asked for before', () => {
    const learned = sessions.listing(call);
    sessions.wrote(call, '60');
    learned('57');
    expect([restored, sessions.floor(call)]).toEqual([0, '60']);
  });

  it('is nothing new where a change that changed nothing was answered with the revision from before', () => {
    sessions.wrote(call, '30');
    sessions.listing(call)('55');
    expect([restored, sessions.floor(call)]).toEqual([0, '55']);
  });
});
