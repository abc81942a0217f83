import { describe, expect, it } from 'vitest';
import type { TenantId } from '../../tenancy/names.ts';
import { constrainedRules, legacyRules } from './host-lists.ts';

const ids = ['acme', 'globex'] as TenantId[];

describe('whom the data path may impersonate', () => {
  it('is each tenant, by name, in the groups of tenants', () => {
    const [users, groups, ...more] = constrainedRules(ids, []);
    expect(users).toMatchObject({ resources: ['users'], resourceNames: ['kubeveil:acme', 'kubeveil:globex'] });
    expect(groups).toMatchObject({
      resources: ['groups'],
      resourceNames: ['kubeveil:tenants', 'kubeveil:trusted', 'kubeveil:tenant:acme', 'kubeveil:tenant:globex'],
    });
    expect(more).toEqual([]);
    for (const rule of [users, groups]) expect(rule?.['verbs']).toEqual(['impersonate:user-info']);
  });
  it('is nobody when there are no tenants: an empty list of names would mean everybody', () => {
    expect(constrainedRules([], [])).toEqual([]);
    expect(legacyRules([])).toEqual([]);
  });
  it('is the same by the legacy right, with what says who asked, where a host knows no other', () => {
    const [users, groups, extras, ...more] = legacyRules(ids);
    const core = { apiGroups: [''], verbs: ['impersonate'] };
    expect(users).toEqual({ ...core, resources: ['users'], resourceNames: ['kubeveil:acme', 'kubeveil:globex'] });
    expect(groups).toEqual({ ...constrainedRules(ids, [])[1], ...core });
    expect(extras).toMatchObject({ apiGroups: ['authentication.k8s.io'], verbs: ['impersonate'] });
    expect(extras?.['resources']).toContain('userextras/kubeveil.dev/user');
    expect(more).toEqual([]);
  });
  it('includes what may be done on API groups of tenants', () => {
    const rules = constrainedRules(ids, ['acme--example.com']);
    expect(rules.at(-1)).toMatchObject({ apiGroups: ['acme--example.com'] });
    expect(rules.at(-1)?.['verbs']).toContain('impersonate-on:user-info:create');
  });
});
