import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type TenantId,
  type TenantName,
  tenantIdProblem,
  tenantOf,
  toTenantName,
  toUpstreamName,
  type UpstreamName,
} from './names.ts';

const tenantId = fc
  .stringMatching(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
  .filter((text) => tenantIdProblem(text) === undefined)
  .map((text) => text as TenantId);
const tenantName = fc.stringMatching(/^[a-z0-9]([-a-z0-9.:]*[a-z0-9])?$/).map((text) => text as TenantName);

describe('tenant ids', () => {
  it.each(['acme', 'acme-eu', 'a1b', 'a-1-b', 'abcdefghijklmnopqrst'])('accepts %j', (text) => {
    expect(tenantIdProblem(text)).toBeUndefined();
  });
  it.each([
    '',
    'ac',
    'abcdefghijklmnopqrstu',
    'Acme',
    '1acme',
    'acme-',
    '-acme',
    'ac--me',
    'acme_eu',
    'аcme',
    'acme ',
    'kube',
    'kube-system',
    'default',
    'kubeveil',
    '__proto__',
  ])('refuses %j', (text) => {
    expect(tenantIdProblem(text)).toMatch(/^(must|is reserved)/);
  });
  it('refuses what the operator reserves, and only that', () => {
    expect(tenantIdProblem('prod', new Set(['prod']))).toBe('is reserved');
    expect(tenantIdProblem('prod')).toBeUndefined();
  });
});

describe('upstream names', () => {
  it('round trip', () => {
    fc.assert(
      fc.property(tenantId, tenantName, (tenant, name) => {
        const upstream = toUpstreamName(tenant, name);
        expect(toTenantName(tenant, upstream)).toBe(name);
        expect(tenantOf(upstream)).toBe(tenant);
      }),
    );
  });
  it('never belong to another tenant', () => {
    fc.assert(
      fc.property(tenantId, tenantId, tenantName, (a, b, name) => {
        fc.pre(a !== b);
        expect(toTenantName(b, toUpstreamName(a, name))).toBeUndefined();
      }),
    );
  });
  it('keep acme and acme-eu apart', () => {
    expect(toTenantName('acme' as TenantId, 'acme-eu--web' as UpstreamName)).toBeUndefined();
    expect(toTenantName('acme-eu' as TenantId, 'acme-eu--web' as UpstreamName)).toBe('web');
  });
  it.each(['web', 'acme', 'acme-', 'acme--', '--web', 'Acme--web', 'kube-system'])('%j is no tenant’s', (name) => {
    expect(tenantOf(name as UpstreamName)).toBeUndefined();
  });
});
