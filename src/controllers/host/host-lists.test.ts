import { describe, expect, it } from 'vitest';
import type { TenantId } from '../../tenancy/names.ts';
import { impersonationRules } from './host-lists.ts';

const ids = ['acme', 'globex'] as TenantId[];

describe('whom the data path may impersonate', () => {
  it('is each tenant, by name, in the groups of tenants', () => {
    const [users, groups, ...more] = impersonationRules(ids, []);
    expect(users).toMatchObject({ resources: ['users'], resourceNames: ['kubeveil:acme', 'kubeveil:globex'] });
    expect(groups).toMatchObject({
      resources: ['groups'],
      resourceNames: ['kubeveil:tenants', 'kubeveil:trusted', 'kubeveil:tenant:acme', 'kubeveil:tenant:globex'],
    });
    expect(more).toEqual([]);
    for (const rule of [users, groups]) expect(rule?.['verbs']).toEqual(['impersonate:user-info']);
  });
  it('is nobody when there are no tenants: an empty list of names would mean everybody', () => {
    expect(impersonationRules([], [])).toEqual([]);
  });
  it('includes what may be done on API groups of tenants', () => {
    const rules = impersonationRules(ids, ['acme--example.com']);
    expect(rules.at(-1)).toMatchObject({ apiGroups: ['acme--example.com'] });
    expect(rules.at(-1)?.['verbs']).toContain('impersonate-on:user-info:create');
  });
});
