import { describe, expect, it } from 'vitest';
import { locate, tenantDomain } from './locate.ts';

const DOMAIN = 'kv.example.com';
function located(claimed: string | undefined, ...serverNames: string[]): unknown {
  return locate({ claimed }, { serverNames }, DOMAIN).tenant;
}

describe('which tenant a request says it is for', () => {
  it('is what the path says, or nothing', () => {
    expect(locate({ claimed: 'acme' })).toEqual({ tenant: 'acme' });
    expect(locate({ claimed: undefined })).toEqual({ tenant: undefined });
    expect(() => locate({ claimed: 'kube-system' })).toThrow(expect.objectContaining({ status: 404 }));
    expect(() => locate({ claimed: 'a--b' })).toThrow(expect.objectContaining({ status: 404 }));
  });

  it('is what stands in front of the proxy’s own name', () => {
    expect(located(undefined, `acme.${DOMAIN}`)).toBe('acme');
    expect(located('acme', `acme.${DOMAIN}`, `acme.${DOMAIN}`)).toBe('acme');
    expect(located('acme', DOMAIN, '10.0.0.1')).toBe('acme');
    for (const name of [DOMAIN, 'acme.other.example.com', `acme${DOMAIN}`, 'localhost']) {
      expect(located(undefined, name), name).toBeUndefined();
    }
    expect(locate({ claimed: undefined }, { serverNames: [`acme.${DOMAIN}`] }).tenant).toBeUndefined();
  });

  it.each([
    ['path and connection', 'acme', [`globex.${DOMAIN}`]],
    ['connection and request', undefined, [`acme.${DOMAIN}`, `globex.${DOMAIN}`]],
    ['all three', 'acme', [`acme.${DOMAIN}`, `globex.${DOMAIN}`]],
  ])('is none where %s disagree', (_what, claimed, names) => {
    expect(() => located(claimed, ...names)).toThrow(expect.objectContaining({ status: 403, why: 'wrong-tenant' }));
  });

  it.each(['a--b', 'kube-system', 'x.acme', '', '*'])('is none by the name %j', (part) => {
    expect(() => located(undefined, `${part}.${DOMAIN}`)).toThrow(expect.objectContaining({ status: 404 }));
  });
});

describe('the domain of tenants', () => {
  it.each([
    ['https://KV.example.com:8443', 'kv.example.com'],
    ['https://localhost:8443', undefined],
    ['https://127.0.0.1:8443', undefined],
    ['https://[::1]:8443', undefined],
    [undefined, undefined],
  ])('of %s is %s', (url, domain) => {
    expect(tenantDomain(url)).toBe(domain);
  });
});
