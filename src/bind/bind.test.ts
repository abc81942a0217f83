import { describe, expect, it } from 'vitest';
import type { Authenticated } from '../exchange.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { bind } from './bind.ts';

const acme: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u1',
  createdAt: '',
  phase: 'Active',
  clientCaPem: 'x',
  policy: 'default',
};

function registry(...tenants: Tenant[]) {
  return { get: (id: TenantId) => tenants.find((tenant) => tenant.id === id), all: () => tenants };
}

function credential(tenant: string, tenantUid: string): Authenticated {
  const identity = { username: 'alice', groups: [], uid: '', extra: {} };
  return { identity, tenant: tenant as TenantId, tenantUid, how: 'client-certificate', expiresAtMs: 0 };
}

const NONE = { tenant: undefined };

describe('bind', () => {
  it('gives the tenant of the credential', () => {
    expect(bind(credential('acme', 'u1'), NONE, registry(acme))).toBe(acme);
    expect(bind(credential('acme', 'u1'), { tenant: acme.id }, registry(acme))).toBe(acme);
  });

  it.each([
    ['of no tenant', credential('globex', 'u2'), NONE, acme, 401],
    ['of an earlier tenant of that id', credential('acme', 'u0'), NONE, acme, 401],
    ['asking for another tenant', credential('acme', 'u1'), { tenant: 'globex' as TenantId }, acme, 403],
    ['of a tenant that is going', credential('acme', 'u1'), NONE, { ...acme, phase: 'Terminating' as const }, 403],
    ['of a tenant that is suspended', credential('acme', 'u1'), NONE, { ...acme, phase: 'Suspended' as const }, 403],
    ['of a tenant that is not ready', credential('acme', 'u1'), NONE, { ...acme, phase: 'Pending' as const }, 403],
  ])('refuses a credential %s', (_what, authenticated, claim, tenant, status) => {
    expect(() => bind(authenticated, claim, registry(tenant))).toThrow(expect.objectContaining({ status }));
  });

  it('answers alike whether the other tenant exists or not', () => {
    const globex: Tenant = { ...acme, id: 'globex' as TenantId, uid: 'u2' };
    const refusal = (...tenants: Tenant[]) => {
      try {
        bind(credential('acme', 'u1'), { tenant: globex.id }, registry(...tenants));
      } catch (error) {
        return (error as Error).message;
      }
      return 'no refusal';
    };
    expect(refusal(acme)).toBe(refusal(acme, globex));
    expect(refusal(acme)).not.toBe('no refusal');
  });
});
