import { describe, expect, it } from 'vitest';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { defaultRoles, getDefault, listDefaults, withDefaults } from './defaults.ts';

const GROUP = 'rbac.authorization.k8s.io';
function tenant(id: string, uid: string): Tenant {
  const createdAt = '2026-01-02T03:04:05Z';
  return { id: id as TenantId, uid, createdAt, phase: 'Active', clientCaPem: '', policy: 'default' };
}
const acme = tenant('acme', 'u-1');

describe('default roles', () => {
  it('are there, complete, and as old as the tenant', () => {
    const view = getDefault(acme, GROUP, 'clusterroles', 'view');
    expect(view).toMatchObject({
      kind: 'ClusterRole',
      apiVersion: `${GROUP}/v1`,
      metadata: {
        name: 'view',
        resourceVersion: '1',
        creationTimestamp: acme.createdAt,
        labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' },
      },
    });
    expect(view?.['rules']).not.toEqual([]);
    expect(listDefaults(acme, GROUP, 'clusterroles').map(nameOf)).toEqual(
      expect.arrayContaining(['cluster-admin', 'admin', 'edit', 'view', 'system:discovery', 'system:basic-user']),
    );
    expect(listDefaults(acme, GROUP, 'clusterrolebindings').map(nameOf)).toEqual([
      'cluster-admin',
      'system:basic-user',
      'system:discovery',
      'system:public-info-viewer',
    ]);
  });
  it('are none for other kinds and names', () => {
    expect(listDefaults(acme, GROUP, 'roles')).toEqual([]);
    expect(listDefaults(acme, 'apps', 'clusterroles')).toEqual([]);
    expect(listDefaults(acme, GROUP, '__proto__')).toEqual([]);
    expect(getDefault(acme, GROUP, 'clusterroles', 'nobody')).toBeUndefined();
  });
  it('keep their uid, which no other tenant or object has', () => {
    const uids = (one: Tenant) => listDefaults(one, GROUP, 'clusterroles').map((object) => metadataOf(object)['uid']);
    expect(uids(acme)).toEqual(uids(acme));
    expect(new Set([...uids(acme), ...uids(tenant('acme', 'u-2')), ...uids(tenant('globex', 'u-3'))]).size).toBe(
      3 * uids(acme).length,
    );
    for (const uid of uids(acme))
      expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
  it('give way to stored ones and stand in key order', () => {
    const stored: JsonObject[] = [{ metadata: { name: 'view', uid: 'x' } }, { metadata: { name: 'zoo' } }];
    const all = withDefaults(acme, GROUP, 'clusterroles', stored);
    expect(all.map(nameOf)).toEqual([...all.map(nameOf)].sort());
    expect(all.filter((object) => nameOf(object) === 'view')).toEqual([stored[0]]);
    expect(all).toHaveLength(defaultRoles().clusterroles.length + 1);
  });
  it('obey selectors', () => {
    expect(withDefaults(acme, GROUP, 'clusterroles', [], (object) => nameOf(object) === 'edit').map(nameOf)).toEqual([
      'edit',
    ]);
  });
  it('cannot be changed through a copy', () => {
    const first = getDefault(acme, GROUP, 'clusterroles', 'view');
    if (first !== undefined) first['rules'] = [];
    expect(getDefault(acme, GROUP, 'clusterroles', 'view')?.['rules']).not.toEqual([]);
  });
});
