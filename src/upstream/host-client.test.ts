import { describe, expect, it } from 'vitest';
import { ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import type { UpstreamResponse } from '../ports.ts';
import { createHostClient, HostError, isHostStarting, unless } from './host-client.ts';

function clientOf(status: number, body: string) {
  const upstream = new ScriptedUpstream(() => ({ status, body: {} }));
  const request = async (): Promise<UpstreamResponse> => ({ status, headers: {}, body: Buffer.from(body) });
  return createHostClient({ request, stream: upstream.stream }, { as: 'reader' });
}

describe('a client of the host', () => {
  it('reads objects and lists', async () => {
    expect(await clientOf(200, '{"a":1}').get('/api/v1/x')).toEqual({ a: 1 });
    expect(await clientOf(200, '{"items":[{"a":1},2]}').list('/api/v1/xs')).toEqual([{ a: 1 }]);
  });

  it('finds nothing where there is none, also where the host knows no such path', async () => {
    expect(await clientOf(404, '{"kind":"Status","reason":"NotFound"}').get('/api/v1/x')).toBeUndefined();
    expect(await clientOf(404, '404 page not found\n').get('/apis/none/v1/x')).toBeUndefined();
    expect(await clientOf(404, '404 page not found\n').list('/apis/none/v1/x').catch(unless(404))).toBeUndefined();
  });

  it.each([
    ['{"kind":"Status","message":"not yours","reason":"Forbidden"}', 'not yours', 'Forbidden'],
    ['no Status at all', 'no Status at all', ''],
    ['', 'no message', ''],
  ])('tells the host’s words where it says %j', async (body, message, reason) => {
    const refused = clientOf(403, body).create('/api/v1/xs', {});
    await expect(refused).rejects.toThrow(HostError);
    await expect(refused).rejects.toMatchObject({ status: 403, reason, message: expect.stringContaining(message) });
  });
});

describe('isHostStarting', () => {
  const body = (message: string) => Buffer.from(JSON.stringify({ message }));

  it('is true of a host that cannot list yet, and of nothing else', () => {
    expect(isHostStarting(new HostError('LIST /x', 429, body('storage is (re)initializing')))).toBe(true);
    expect(isHostStarting(new HostError('LIST /x', 429, body('too many requests')))).toBe(false);
    expect(isHostStarting(new HostError('LIST /x', 500, body('storage is (re)initializing')))).toBe(false);
    expect(isHostStarting(new Error('storage is (re)initializing'))).toBe(false);
  });
});
