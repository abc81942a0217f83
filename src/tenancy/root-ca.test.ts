import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TenantName, UpstreamName } from './names.ts';
import { rootCaToTenant, rootCaToUpstream } from './root-ca.ts';

describe('the name of the CA', () => {
  it.each([
    ['kube-root-ca.crt', 'kube-root-ca.crt.kubeveil'],
    ['kube-root-ca.crt.kubeveil', 'kube-root-ca.crt.kubeveil.kubeveil'],
    ['kube-root-ca.crt.kubeveil.x', 'kube-root-ca.crt.kubeveil.x'],
    ['kube-root-ca-crt', 'kube-root-ca-crt'],
    ['settings', 'settings'],
  ])('%s is %s upstream', (tenant, upstream) => {
    expect(rootCaToUpstream(tenant as TenantName)).toBe(upstream);
    expect(rootCaToTenant(upstream as UpstreamName)).toBe(tenant);
  });

  it('never leads to the host’s own', () => {
    expect(rootCaToTenant('kube-root-ca.crt' as UpstreamName)).toBeUndefined();
    const name = fc.oneof(
      fc.string(),
      fc.nat(4).map((times) => `kube-root-ca.crt${'.kubeveil'.repeat(times)}`),
    );
    fc.assert(
      fc.property(name, (text) => {
        const upstream = rootCaToUpstream(text as TenantName);
        expect(upstream).not.toBe('kube-root-ca.crt');
        expect(rootCaToTenant(upstream)).toBe(text);
      }),
    );
  });
});
