import { describe, expect, it } from 'vitest';
import type { TenantId } from '../tenancy/names.ts';
import { isOwnedBy } from './egress-check.ts';

const acme = 'acme' as TenantId;

function object(metadata: Record<string, unknown>) {
  return { metadata } as never;
}

describe('the egress check', () => {
  it.each([
    ['a namespaced object in its namespace', { namespace: 'acme--web', name: 'app' }, true],
    [
      'a cluster-scoped object with label and name',
      { name: 'acme--reader', labels: { 'kubeveil.dev/tenant': 'acme' } },
      false,
    ],
    [
      'a CRD, whose name holds the tenant in its group',
      { name: 'foos.acme--stable.example.com', labels: { 'kubeveil.dev/tenant': 'acme' } },
      false,
    ],
  ])('lets %s pass', (_what, metadata, namespaced) => {
    expect(isOwnedBy(acme, object(metadata), namespaced)).toBe(true);
  });

  it.each([
    ['of another tenant by its namespace', { namespace: 'globex--web', name: 'app' }, true],
    ['of a tenant whose id begins alike', { namespace: 'acme-eu--web', name: 'app' }, true],
    ['of the host', { namespace: 'kube-system', name: 'app' }, true],
    ['with a label only, in a namespace', { namespace: 'web', labels: { 'kubeveil.dev/tenant': 'acme' } }, true],
    ['without a namespace where one belongs', { name: 'acme--app' }, true],
    ['with another’s label', { name: 'acme--reader', labels: { 'kubeveil.dev/tenant': 'globex' } }, false],
    ['without a label', { name: 'acme--reader' }, false],
    ['with the label and another’s name', { name: 'globex--reader', labels: { 'kubeveil.dev/tenant': 'acme' } }, false],
    ['with the label and the host’s name', { name: 'view', labels: { 'kubeveil.dev/tenant': 'acme' } }, false],
  ])('stops an object %s', (_what, metadata, namespaced) => {
    expect(isOwnedBy(acme, object(metadata), namespaced)).toBe(false);
  });

  it('stops what has no metadata', () => {
    expect(isOwnedBy(acme, {}, true)).toBe(false);
    expect(isOwnedBy(acme, {}, false)).toBe(false);
  });
});
