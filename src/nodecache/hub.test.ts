import { describe, expect, it } from 'vitest';
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../ports.ts';
import { hubFirst } from './hub.ts';
import { HUB_AWAY_MS } from './limits.ts';

const LIST: UpstreamRequest = { identity: { as: 'reader' }, method: 'GET', path: '/api/v1/services' };

/** One that answers with a status, or not at all. */
function answering(status: () => number | undefined): Upstream & { readonly asked: string[] } {
  const asked: string[] = [];
  const answer = (path: string): UpstreamResponse => {
    asked.push(path);
    const now = status();
    if (now === undefined) throw new Error('unreachable');
    return { status: now, headers: {}, body: Buffer.from('{}') };
  };
  return {
    asked,
    request: async ({ path }) => answer(path),
    stream: async ({ path }) => {
      const { body, ...head } = answer(path);
      return {
        ...head,
        chunks: (async function* () {
          yield body;
        })(),
      };
    },
  };
}

function set() {
  let status: number | undefined = 200;
  let atMs = 0;
  const errors: unknown[] = [];
  const hub = answering(() => status);
  const apiServer = answering(() => 200);
  const way = hubFirst({
    hub,
    apiServer,
    nowMs: () => atMs,
    random: () => 0.5,
    onError: (error) => errors.push(error),
  });
  return {
    hub,
    apiServer,
    way,
    errors,
    becomes: (next: number | undefined) => {
      status = next;
    },
    wait: (ms: number) => {
      atMs += ms;
    },
  };
}

describe('what is kept', () => {
  it('is asked of the hub alone, while it answers', async () => {
    const { way, apiServer } = set();
    await way.request(LIST);
    await way.stream(LIST);
    expect(apiServer.asked).toEqual([]);
  });

  it.each([undefined, 500, 503])(
    'is asked of the API server for a while when the hub answers with %s',
    async (status) => {
      const { way, hub, apiServer, becomes, wait, errors } = set();
      becomes(status);
      expect((await way.request(LIST)).status).toBe(200);
      expect((await way.stream(LIST)).status).toBe(200);
      expect(hub.asked).toHaveLength(1);
      expect(apiServer.asked).toHaveLength(2);
      expect(errors).toHaveLength(1);
      becomes(200);
      wait(HUB_AWAY_MS * 1.5 - 1);
      await way.request(LIST);
      expect(hub.asked).toHaveLength(1);
      wait(1);
      await way.request(LIST);
      expect(hub.asked).toHaveLength(2);
    },
  );

  it.each([401, 403, 404, 429])(
    'is asked of the API server when the hub says %s, and of the hub next time',
    async (status) => {
      const { way, hub, apiServer, becomes } = set();
      becomes(status);
      for (const ask of [() => way.request(LIST), () => way.stream(LIST)]) expect((await ask()).status).toBe(200);
      expect([hub.asked.length, apiServer.asked.length]).toEqual([2, 2]);
    },
  );

  it('is too old where the hub says so: the API server would say the same', async () => {
    const { way, apiServer, becomes } = set();
    becomes(410);
    expect((await way.stream(LIST)).status).toBe(410);
    expect(apiServer.asked).toEqual([]);
  });

  it('is asked of nobody for who is gone, which says nothing of the hub', async () => {
    const { way, hub, apiServer, becomes } = set();
    becomes(undefined);
    await expect(way.request({ ...LIST, signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
    becomes(200);
    await way.request(LIST);
    expect([hub.asked.length, apiServer.asked.length]).toEqual([2, 0]);
  });
});

describe('the pulse of a hub', () => {
  it('is felt without the API server', async () => {
    const { way, hub, apiServer } = set();
    expect(await way.pulse(1_000)).toBe(true);
    expect([hub.asked, apiServer.asked]).toEqual([['/readyz'], []]);
  });

  it.each([undefined, 503])('is lost at %s: then the API server is asked, and its own pulse felt', async (status) => {
    const { way, apiServer, becomes } = set();
    becomes(status);
    expect(await way.pulse(1_000)).toBe(false);
    expect(way.pulse(1_000)).toBeUndefined();
    await way.request(LIST);
    expect(apiServer.asked).toEqual(['/api/v1/services']);
  });
});
