import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startIssuer, type TestIssuer } from '../../../test/support/test-issuer.ts';
import { createProvider, type Provider } from './provider.ts';

const KEYS = '/jwks';
const DISCOVERY = '/.well-known/openid-configuration';
const stack = new AsyncDisposableStack();
let issuer: TestIssuer;
let provider: Provider;
let nowMs: number;
beforeEach(async () => {
  issuer = stack.use(await startIssuer());
  nowMs = Date.now();
  const config = { url: issuer.url, certificateAuthority: issuer.caPem, audiences: ['a'] };
  provider = createProvider(config, () => nowMs);
});
afterAll(() => stack.disposeAsync());

const token = (header: Record<string, unknown> = {}) => issuer.token({ aud: 'a', sub: 's' }, header);
const down = expect.objectContaining({ message: expect.stringContaining('cannot be read') });

describe('the keys of an issuer', () => {
  it('are fetched once for however many ask', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => token()));
    await Promise.all(tokens.map((one) => provider.verify(one)));
    expect([issuer.asked.get(DISCOVERY), issuer.asked.get(KEYS)]).toEqual([1, 1]);
  });

  it('are fetched anew for a key that is not known, but not again and again', async () => {
    await provider.verify(await token());
    await issuer.rotate();
    const rotated = await token();
    await expect(provider.verify(rotated)).rejects.toThrow('no applicable key');
    nowMs += 10_000;
    await provider.verify(rotated);
    const made = await Promise.all(Array.from({ length: 20 }, (_, at) => token({ kid: `made-up-${at}` })));
    await Promise.allSettled(made.map((one) => provider.verify(one)));
    expect(issuer.asked.get(KEYS)).toBe(2);
  });

  it('that were taken out stop counting', async () => {
    const old = await issuer.token({ aud: 'a', exp: Math.floor(Date.now() / 1_000) + 86_400 });
    await provider.verify(old);
    await issuer.rotate();
    nowMs += 11 * 60_000;
    await expect(provider.verify(old)).rejects.toThrow('no applicable key');
  });

  it('stay good while the issuer is down, and are missed where there were none', async () => {
    await provider.verify(await token());
    issuer.instead.set(DISCOVERY, { status: 503 });
    nowMs += 11 * 60_000;
    const later = await issuer.token({ aud: 'a', exp: Math.floor(nowMs / 1_000) + 60 });
    await provider.verify(later);
    const other = createProvider(
      { url: issuer.url, certificateAuthority: issuer.caPem, audiences: ['a'] },
      () => nowMs,
    );
    await expect(other.verify(later)).rejects.toThrow(down);
    issuer.instead.clear();
    await expect(other.verify(later)).rejects.toThrow(down);
    nowMs += 2_000;
    await other.verify(later);
  });

  it.each<[string, string, { status: number; location?: string; body?: string }]>([
    ['a redirect', KEYS, { status: 302, location: '/elsewhere' }],
    ['a document of megabytes', KEYS, { status: 200, body: `{"keys":[],"x":"${'x'.repeat(2_000_000)}"}` }],
    ['what is no JSON', DISCOVERY, { status: 200, body: '<html>' }],
    [
      'the document of another issuer',
      DISCOVERY,
      { status: 200, body: '{"issuer":"https://other","jwks_uri":"https://other/jwks"}' },
    ],
    ['keys that are not on https', DISCOVERY, { status: 200, body: '{"jwks_uri":"http://127.0.0.1/jwks"}' }],
  ])('are not taken from %s', async (_what, path, answer) => {
    issuer.instead.set(path, answer);
    await expect(provider.verify(await token())).rejects.toThrow(down);
  });

  it('are not taken from a server with a certificate of another CA', async () => {
    const other = createProvider({ url: issuer.url, audiences: ['a'] }, () => nowMs);
    await expect(other.verify(await token())).rejects.toThrow(down);
  });
});
