import { describe, expect, it } from 'vitest';
import { ApiError } from '../../errors.ts';
import type { Informer } from '../../k8s/informer.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { TenantId } from '../../tenancy/names.ts';
import { createTenantRegistry, readTenant } from './tenant-registry.ts';

function tenant(parts: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'acme', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    status: { phase: 'Active', clientCa: 'PEM' },
    ...parts,
  };
}

describe('a Tenant object', () => {
  it('is read with its defaults', () => {
    expect(readTenant(tenant())).toEqual({
      id: 'acme',
      uid: 'u1',
      createdAt: '2026-01-01T00:00:00Z',
      phase: 'Active',
      clientCaPem: 'PEM',
      policy: 'default',
      administratorGroups: [],
      revokedCertificates: new Set(),
    });
  });
  it.each<[string, JsonObject, string]>([
    ['is being deleted', tenant({}, { deletionTimestamp: '2026-01-02T00:00:00Z' }), 'Terminating'],
    ['is suspended', tenant({ spec: { suspended: true } }), 'Suspended'],
    ['has no status', tenant({ status: {} }), 'Pending'],
    ['has no CA', tenant({ status: { phase: 'Active' } }), 'Pending'],
    ['has a phase that nobody knows', tenant({ status: { phase: 'Great', clientCa: 'PEM' } }), 'Pending'],
  ])('that %s is not served', (_what, object, phase) => {
    expect(readTenant(object).phase).toBe(phase);
  });
});

describe('the registry of tenants', () => {
  function registry(synced: boolean, ...objects: JsonObject[]) {
    const byName = new Map(objects.map((object) => [String((object['metadata'] as JsonObject)['name']), object]));
    const informer: Pick<Informer, 'synced' | 'get' | 'list'> = {
      synced,
      get: (_namespace, name) => byName.get(name),
      list: () => byName.values(),
    };
    return createTenantRegistry(informer as Informer);
  }

  it('knows nothing before it has read all', () => {
    const unread = registry(false, tenant());
    expect(() => unread.get('acme' as TenantId)).toThrow(ApiError);
    expect(() => [...unread.all()]).toThrow(ApiError);
  });
  it('finds a tenant by its id', () => {
    expect(registry(true, tenant()).get('acme' as TenantId)?.uid).toBe('u1');
    expect(registry(true, tenant()).get('globex' as TenantId)).toBeUndefined();
  });
  it('leaves out what is named as no tenant can be', () => {
    const odd = registry(true, tenant(), tenant({}, { name: 'kube-system' }), tenant({}, { name: 'a--b' }));
    expect([...odd.all()].map(({ id }) => id)).toEqual(['acme']);
    expect(odd.get('kube-system' as TenantId)).toBeUndefined();
  });
});
