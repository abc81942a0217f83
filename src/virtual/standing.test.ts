import { describe, expect, it } from 'vitest';
import { labelsOf, metadataOf, nameOf } from '../k8s/meta.ts';
import { KINDS } from '../kinds/table.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createStandingObjects, defaultRoles } from './standing.ts';
import { printerOf } from './tables.ts';

const standingObjects = createStandingObjects(() => ['10.0.0.0/16', 'fd00::/108']);
const GROUP = 'rbac.authorization.k8s.io';
const EVERY = [
  ['', 'namespaces'],
  [GROUP, 'clusterroles'],
  [GROUP, 'clusterrolebindings'],
  ['networking.k8s.io', 'servicecidrs'],
] as const;
function tenant(id: string, uid: string): Tenant {
  const createdAt = '2026-01-02T03:04:05Z';
  return { id: id as TenantId, uid, createdAt, phase: 'Active', clientCaPem: '', policy: 'default' };
}
const acme = tenant('acme', 'u-1');

function names(group: string, resource: string): string[] {
  return standingObjects(acme, group, resource).map(nameOf);
}

describe('standing objects', () => {
  it('are the system namespaces, the default roles and their bindings', () => {
    expect(names('', 'namespaces')).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    expect(names(GROUP, 'clusterroles')).toEqual(
      expect.arrayContaining(['cluster-admin', 'admin', 'edit', 'view', 'system:discovery', 'system:basic-user']),
    );
    expect(names(GROUP, 'clusterrolebindings')).toEqual([
      'cluster-admin',
      'system:basic-user',
      'system:discovery',
      'system:public-info-viewer',
      'system:service-account-issuer-discovery',
    ]);
  });

  it('are complete, and as old as the tenant', () => {
    const view = standingObjects(acme, GROUP, 'clusterroles').find((role) => nameOf(role) === 'view');
    expect(view).toMatchObject({
      kind: 'ClusterRole',
      apiVersion: `${GROUP}/v1`,
      metadata: { name: 'view', resourceVersion: '1', creationTimestamp: acme.createdAt },
    });
    expect(labelsOf(view ?? {})).toMatchObject({ 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' });
    expect(view?.['rules']).not.toEqual([]);
    expect(standingObjects(acme, '', 'namespaces')[0]).toMatchObject({
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: {
        name: 'default',
        resourceVersion: '1',
        creationTimestamp: acme.createdAt,
        labels: { 'kubernetes.io/metadata.name': 'default' },
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('are the default ServiceCIDR with the ranges of the host, where these are known', () => {
    const [range, ...others] = standingObjects(acme, 'networking.k8s.io', 'servicecidrs');
    expect(others).toEqual([]);
    expect(range).toMatchObject({
      kind: 'ServiceCIDR',
      apiVersion: 'networking.k8s.io/v1',
      metadata: { name: 'kubernetes', resourceVersion: '1', creationTimestamp: acme.createdAt },
      spec: { cidrs: ['10.0.0.0/16', 'fd00::/108'] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    expect(createStandingObjects(() => [])(acme, 'networking.k8s.io', 'servicecidrs')).toEqual([]);
  });

  it.each([
    [GROUP, 'roles'],
    ['apps', 'clusterroles'],
    ['apps', 'namespaces'],
    [GROUP, '__proto__'],
  ])('are none for %s/%s', (group, resource) => {
    expect(standingObjects(acme, group, resource)).toEqual([]);
  });

  it.each(EVERY)('stand in the order of names (%s/%s)', (group, resource) => {
    expect(names(group, resource)).toEqual([...names(group, resource)].sort());
  });

  it('keep their uid, which no other tenant or object has', () => {
    const uids = (one: Tenant) =>
      EVERY.flatMap(([group, resource]) =>
        standingObjects(one, group, resource).map((object) => metadataOf(object)['uid']),
      );
    expect(uids(acme)).toEqual(uids(acme));
    const all = [...uids(acme), ...uids(tenant('acme', 'u-2')), ...uids(tenant('globex', 'u-3'))];
    expect(new Set(all).size).toBe(3 * uids(acme).length);
    for (const uid of uids(acme))
      expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('cannot be changed through a copy', () => {
    for (const [group, resource] of EVERY) {
      for (const object of standingObjects(acme, group, resource)) {
        delete object['rules'];
        metadataOf(object)['labels'] = { changed: 'yes' };
      }
    }
    const view = standingObjects(acme, GROUP, 'clusterroles').find((role) => nameOf(role) === 'view');
    expect(view?.['rules']).not.toEqual([]);
    expect(labelsOf(view ?? {})).not.toHaveProperty('changed');
    expect(defaultRoles().clusterroles.map((role) => labelsOf(role)['changed'])).not.toContain('yes');
  });
});

describe('printers', () => {
  it('are there for every virtual kind and for every kind that has standing objects', () => {
    const virtual = KINDS.filter((kind) => Object.values(kind.classes).includes('virtual'));
    for (const [group, resource] of [...EVERY, ...virtual.map((kind) => [kind.group, kind.resource] as const)]) {
      expect(printerOf(group, resource), `${group}/${resource}`).toBeDefined();
    }
    expect(printerOf('', 'pods')).toBeUndefined();
  });

  it.each(EVERY)('print a cell for each column (%s/%s)', (group, resource) => {
    const printer = printerOf(group, resource);
    for (const object of standingObjects(acme, group, resource)) {
      const cells = printer?.cells(object, Date.parse('2026-01-03T03:04:05Z')) ?? [];
      expect(cells).toHaveLength(printer?.columns.length ?? -1);
      expect(cells[0]).toBe(nameOf(object));
    }
  });

  it('print a namespace that stands as the API server does', () => {
    const [first = {}] = standingObjects(acme, '', 'namespaces');
    expect(printerOf('', 'namespaces')?.cells(first, Date.parse('2026-01-02T04:04:05Z'))).toEqual([
      'default',
      'Active',
      '60m',
    ]);
  });
});
