import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { tableToTenant } from './table.ts';

const ACME = scopeOf('acme');

function table(columns: string[], rows: [JsonValue, JsonObject | null][]): JsonObject {
  // Translation changes what it is given.
  return structuredClone<JsonObject>({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: '7' },
    columnDefinitions: columns.map((name) => ({ name, type: 'string', format: name === 'Name' ? 'name' : '' })),
    rows: rows.map(([cells, metadata]) => ({
      cells,
      object: metadata === null ? null : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
    })),
  });
}

function cells(key: string, columns: string[], row: JsonValue[], metadata: JsonObject): JsonValue | undefined {
  const shown = tableToTenant(table(columns, [[row, metadata]]), kindAt(ACME, key), ACME)['rows'] as JsonObject[];
  return shown[0]?.['cells'];
}

const LABELS = { 'kubeveil.dev/tenant': 'acme' };
const IN_WEB = { name: 'x', namespace: 'acme--web' };

describe('rows', () => {
  it('of others, or without an object, are left out and told of', () => {
    const rows: [JsonValue, JsonObject | null][] = [
      [['a'], { name: 'a', namespace: 'acme--web' }],
      [['b'], { name: 'b', namespace: 'globex--web' }],
      [['c'], null],
      [['d'], { name: 'd' }],
    ];
    const leftOut: string[] = [];
    const shown = tableToTenant(table(['Name'], rows), kindAt(ACME, '/pods'), ACME, (error) =>
      leftOut.push(error.message),
    );
    expect(shown['rows']).toEqual([
      {
        cells: ['a'],
        object: {
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.k8s.io/v1',
          metadata: { name: 'a', namespace: 'web' },
        },
      },
    ]);
    expect(leftOut).toHaveLength(3);
  });

  it('of a bookmark pass when they name nothing', () => {
    const bookmark = table(['Name'], [[[''], { resourceVersion: '9' }]]);
    expect(tableToTenant(bookmark, kindAt(ACME, '/pods'), ACME, undefined, true)['rows']).toHaveLength(1);
    const odd = table(['Name'], [[['x'], { name: 'x', namespace: 'globex--web' }]]);
    expect(() => tableToTenant(odd, kindAt(ACME, '/pods'), ACME, undefined, true)).toThrow('bookmark');
  });
});

describe('cells', () => {
  it('with the name of a cluster-scoped object', () => {
    expect(
      cells('/namespaces', ['Name', 'Status'], ['acme--web', 'Active'], { name: 'acme--web', labels: LABELS }),
    ).toEqual(['web', 'Active']);
    expect(
      cells('rbac.authorization.k8s.io/clusterroles', ['Name'], ['acme--x--a03ab'], {
        name: 'acme--x--a03ab',
        labels: LABELS,
      }),
    ).toEqual(['a:b']);
    expect(cells('/pods', ['Name'], ['acme--p'], { name: 'acme--p', namespace: 'acme--web' })).toEqual(['acme--p']);
  });

  it('with names of other kinds', () => {
    expect(
      cells('/persistentvolumeclaims', ['Name', 'Volume', 'StorageClass'], ['x', 'pvc-1', '<unset>'], IN_WEB),
    ).toEqual(['x', 'pvc-1', '<unset>']);
    expect(cells('/persistentvolumeclaims', ['Name', 'Volume'], ['x', 'globex--v'], IN_WEB)).toBeUndefined();
  });

  it('with roles and subjects', () => {
    const columns = ['Name', 'Role', 'Users', 'Groups', 'ServiceAccounts'];
    const users =
      'kubeveil.inert/acme/User/alice, kubeveil.inert/acme/Group/devs, kubeveil.inert/acme/ServiceAccount/web:bot, kubeveil.inert/acme/User/a, b';
    expect(
      cells('rbac.authorization.k8s.io/rolebindings', columns, ['x', 'ClusterRole/acme--view', users, '', ''], IN_WEB),
    ).toEqual(['x', 'ClusterRole/view', 'alice, a, b', 'devs', 'web/bot']);
    expect(
      cells('rbac.authorization.k8s.io/rolebindings', columns, ['x', 'Role/acme--view', '', '', ''], IN_WEB),
    ).toEqual(['x', 'Role/acme--view', '', '', '']);
    expect(
      cells('rbac.authorization.k8s.io/rolebindings', columns, ['x', 'Role/r', 'alice', '', ''], IN_WEB),
    ).toBeUndefined();
  });

  it('of a quota', () => {
    const row = ['x', 'count/a.acme--b.c: 1/5, pods: 0/3', '<none>'];
    const shown = ['x', 'count/a.b.c: 1/5, pods: 0/3', '<none>'];
    expect(cells('/resourcequotas', ['Name', 'Request', 'Limit'], row, IN_WEB)).toEqual(shown);
    expect(cells('/resourcequotas', ['Name', 'Request'], ['x', 'count/a.globex--b.c: 1/5'], IN_WEB)).toBeUndefined();
  });

  it('of events', () => {
    expect(
      cells(
        '/events',
        ['Last Seen', 'Object', 'Message'],
        ['1s', 'namespace/acme--web', 'in acme--web, acme--x'],
        IN_WEB,
      ),
    ).toEqual(['1s', 'namespace/web', 'in web, acme--x']);
  });

  it('of a volume’s claim, and of printer columns', () => {
    const claim = {
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      metadata: { name: 'pvc-1' },
      spec: { claimRef: { namespace: 'acme--web', name: 'data' } },
    };
    const volumes = { ...table(['Name', 'Claim'], []), rows: [{ cells: ['pvc-1', 'acme--web/data'], object: claim }] };
    expect(tableToTenant(volumes as JsonObject, kindAt(ACME, '/persistentvolumes'), ACME)['rows']).toMatchObject([
      { cells: ['pvc-1', 'web/data'] },
    ]);
    expect(
      cells('stable.example.com/widgets', ['Name', 'Where', 'Note'], ['x', 'acme--web', 'acme--web'], IN_WEB),
    ).toEqual(['x', 'web', 'acme--web']);
  });

  it('of any part of an object hold known names, or nothing', () => {
    const printed = (cell: JsonValue) => {
      const row = cells('stable.example.com/widgets', ['Name', 'What'], ['x', cell], IN_WEB);
      return Array.isArray(row) ? row[1] : undefined;
    };
    expect(printed('acme--stable.example.com/v1')).toBe('stable.example.com/v1');
    expect(printed('{"name":"x","namespace":"acme--web"}')).toBe('{"name":"x","namespace":"web"}');
    expect(printed('{"namespace":"acme--web","a":"acme--other"}')).toBe('');
    expect(printed('{"manager":"kubeveil","operation":"Update"}')).toBe('');
    expect(printed('{"manager":"kubectl","operation":"Update"}')).toBe('{"manager":"kubectl","operation":"Update"}');
    expect(printed(7)).toBe(7);
  });

  it('of fields that are not published are empty', () => {
    expect(
      cells(
        'networking.k8s.io/ingressclasses',
        ['Name', 'Controller', 'Parameters'],
        ['nginx', 'k8s.io/x', 'Y/globex'],
        { name: 'nginx' },
      ),
    ).toEqual(['nginx', 'k8s.io/x', '']);
  });

  it('that are no text stay', () => {
    expect(cells('/pods', ['Name', 'Restarts', 'Node'], ['x', 3, null], IN_WEB)).toEqual(['x', 3, null]);
  });
});
