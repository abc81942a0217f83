import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { TenantName } from '../tenancy/names.ts';
import { checkNames, nameToTenant, nameToUpstream } from './names-check.ts';

const ACME = scopeOf('acme');
const NAMESPACE = kindAt(ACME, '/namespaces');
const CLUSTER_ROLE = kindAt(ACME, 'rbac.authorization.k8s.io/clusterroles');
const CRD = kindAt(ACME, 'apiextensions.k8s.io/customresourcedefinitions');
const POD = kindAt(ACME, '/pods');

describe('limits', () => {
  it.each([
    [NAMESPACE, 57],
    [CLUSTER_ROLE, 247],
  ])('of names are told in tenant terms', (at, max) => {
    const check = (length: number) => () => checkNames({ metadata: { name: 'a'.repeat(length) } }, at, ACME);
    expect(check(max)).not.toThrow();
    expect(check(max + 1)).toThrow(`must be no more than ${max} characters in this cluster, has ${max + 1}`);
  });

  it('of generated names leave room for what the server adds', () => {
    const check = (length: number) => () =>
      checkNames({ metadata: { generateName: 'a'.repeat(length) } }, NAMESPACE, ACME);
    expect(check(52)).not.toThrow();
    expect(check(53)).toThrow('must be no more than 52 characters in this cluster, has 53');
  });

  it('never show the prefix', () => {
    for (const name of ['a'.repeat(99), '-x', 'A']) {
      expect(() => checkNames({ metadata: { name } }, NAMESPACE, ACME)).toThrow(/^(?!.*acme)/);
    }
  });

  it('of namespaced names are upstream’s to check', () => {
    expect(() => checkNames({ metadata: { name: '-'.repeat(999) } }, POD, ACME)).not.toThrow();
    expect(() => checkNames({}, NAMESPACE, ACME)).not.toThrow();
  });
});

describe('rules', () => {
  it.each(['.', '..', 'a/b', 'a%b'])('%j is no name of a ClusterRole', (name) => {
    expect(() => checkNames({ metadata: { name } }, CLUSTER_ROLE, ACME)).toThrow('metadata.name');
  });

  it.each(['system:node', 'Pod Reader', 'x--y', 'a.b', '...'])('%j is one, and comes back', (name) => {
    expect(() => checkNames({ metadata: { name } }, CLUSTER_ROLE, ACME)).not.toThrow();
    expect(nameToTenant(nameToUpstream(name as TenantName, CLUSTER_ROLE, ACME), CLUSTER_ROLE, ACME)).toBe(name);
  });
});

describe('priority classes', () => {
  const TRUSTED = scopeOf('acme', { profile: 'trusted' });
  const at = { ...kindAt(TRUSTED, 'scheduling.k8s.io/priorityclasses'), class: 'native' } as const;
  it.each([{ name: 'system-x' }, { generateName: 'system-' }])('of the system are nobody’s: %j', (metadata) => {
    expect(() => checkNames({ metadata }, at, TRUSTED)).toThrow(
      /metadata\.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only/,
    );
  });
  it.each([{ name: 'systemic' }, { name: 'my-system-x' }])('may have any other name: %j', (metadata) => {
    expect(() => checkNames({ metadata }, at, TRUSTED)).not.toThrow();
  });
});

describe('CRDs', () => {
  it.each([
    ['foos.stable.example.com', 'foos.acme--stable.example.com'],
    ['gateways.gateway.networking.k8s.io', 'gateways.acme--gateway.networking.k8s.io'],
    ['deployments.apps', 'deployments.acme--apps'],
  ])('%s is upstream %s', (tenant, upstream) => {
    expect(nameToUpstream(tenant as TenantName, CRD, ACME)).toBe(upstream);
    expect(nameToTenant(upstream as never, CRD, ACME)).toBe(tenant);
  });

  it('of others have no name here', () => {
    expect(nameToTenant('foos.globex--stable.example.com' as never, CRD, ACME)).toBeUndefined();
    expect(nameToTenant('gateways.gateway.networking.k8s.io' as never, CRD, ACME)).toBeUndefined();
    expect(nameToTenant('acme--foos' as never, CRD, ACME)).toBeUndefined();
  });

  it('a name without a group is nobody’s', () => {
    expect(nameToUpstream('foos' as TenantName, CRD, ACME)).toBe('acme--foos');
  });
});
