import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import type { JsonObject, JsonValue, WatchEvent } from '../k8s/types.ts';
import { eventToTenant } from './event.ts';
import { listToTenant } from './list.ts';
import { NotOurs } from './not-ours.ts';

const ACME = scopeOf('acme');
const POD = kindAt(ACME, '/pods');
const CLUSTER_ROLE = kindAt(ACME, 'rbac.authorization.k8s.io/clusterroles');
const WIDGET = kindAt(ACME, 'stable.example.com/widgets');

describe('lists', () => {
  it('hold the tenant’s objects, and one odd object breaks none of them', () => {
    const leftOut: string[] = [];
    const list = {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '5', selfLink: '/x' },
      items: [
        { metadata: { name: 'a', namespace: 'acme--web' } },
        { metadata: { name: 'b', namespace: 'globex--web' } },
        {
          metadata: { name: 'c', namespace: 'acme--web' },
          spec: {
            affinity: {
              podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ namespaces: ['globex--x'] }] },
            },
          },
        },
        { metadata: 7 },
        'x',
      ],
    };
    expect(listToTenant(list as JsonObject, POD, ACME, (error) => leftOut.push(error.message))).toEqual({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '5' },
      items: [{ metadata: { name: 'a', namespace: 'web' } }],
    });
    expect(leftOut).toHaveLength(3);
  });

  it('of a virtual kind are as the native kind’s: items without a type, no empty continue, null where nothing is', () => {
    const list = {
      kind: 'ClusterRoleList',
      apiVersion: 'virtual.kubeveil.dev/v1',
      metadata: { resourceVersion: '5', continue: '' },
      items: [
        {
          kind: 'ClusterRole',
          apiVersion: 'virtual.kubeveil.dev/v1',
          metadata: { name: 'acme--a', uid: 'u', labels: { 'kubeveil.dev/tenant': 'acme' } },
        },
      ],
    };
    expect(listToTenant(list, CLUSTER_ROLE, ACME)).toEqual({
      kind: 'ClusterRoleList',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { resourceVersion: '5' },
      items: [{ metadata: { name: 'a', uid: 'u' }, rules: null }],
    });
  });

  it('of virtual and custom kinds say their own group', () => {
    const roles = { kind: 'ClusterRoleList', apiVersion: 'virtual.kubeveil.dev/v1', items: [] };
    expect(listToTenant(roles, CLUSTER_ROLE, ACME)['apiVersion']).toBe('rbac.authorization.k8s.io/v1');
    const widgets = { kind: 'ManyWidgets', apiVersion: 'acme--stable.example.com/v1', items: [] };
    expect(listToTenant(widgets, WIDGET, ACME)).toEqual({
      kind: 'ManyWidgets',
      apiVersion: 'stable.example.com/v1',
      items: [],
    });
  });

  it('of virtual kinds say what they hold once, as lists of built-in kinds', () => {
    const metadata = { name: 'acme--a', labels: { 'kubeveil.dev/tenant': 'acme' } };
    const role = { apiVersion: 'virtual.kubeveil.dev/v1', kind: 'ClusterRole', metadata, rules: [] };
    const roles = { kind: 'ClusterRoleList', apiVersion: 'virtual.kubeveil.dev/v1', items: [role] };
    expect(listToTenant(roles, CLUSTER_ROLE, ACME)['items']).toEqual([{ metadata: { name: 'a' }, rules: [] }]);
    const widget = {
      apiVersion: 'acme--stable.example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', namespace: 'acme--web' },
    };
    const widgets = { kind: 'WidgetList', apiVersion: 'acme--stable.example.com/v1', items: [widget] };
    expect(listToTenant(widgets, WIDGET, ACME)['items']).toMatchObject([{ kind: 'Widget' }]);
  });

  it('of something else than was asked for are refused', () => {
    expect(() => listToTenant({ kind: 'SecretList', apiVersion: 'v1', items: [] }, POD, ACME)).toThrow(NotOurs);
    expect(() =>
      listToTenant({ kind: 'WidgetList', apiVersion: 'globex--stable.example.com/v1', items: [] }, WIDGET, ACME),
    ).toThrow(NotOurs);
    expect(
      listToTenant({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', items: [] }, POD, ACME)['items'],
    ).toEqual([]);
  });
});

describe('watch events', () => {
  const event = (type: WatchEvent['type'], object: JsonObject) => eventToTenant({ type, object }, POD, ACME);

  it('of the tenant pass, of others throw', () => {
    const pod = (namespace: string) => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', namespace } });
    expect(event('ADDED', pod('acme--web'))).toEqual({ type: 'ADDED', object: pod('web') });
    expect(() => event('DELETED', pod('globex--web'))).toThrow(NotOurs);
  });

  it('that are bookmarks always pass, with nothing but what a bookmark is made of', () => {
    const annotations = { 'k8s.io/initial-events-end': 'true', 'kubeveil.dev/x': 'y', other: 'z' };
    const bookmark = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9', annotations },
      spec: { containers: null },
      status: {},
    };
    expect(event('BOOKMARK', bookmark).object).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } },
      spec: { containers: null },
      status: {},
    });
    const role = { kind: 'ClusterRole', apiVersion: 'virtual.kubeveil.dev/v1', metadata: { resourceVersion: '9' } };
    expect(eventToTenant({ type: 'BOOKMARK', object: role }, CLUSTER_ROLE, ACME).object['apiVersion']).toBe(
      'rbac.authorization.k8s.io/v1',
    );
  });

  it('that are errors hold a Status in tenant terms', () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'namespace acme--web is gone',
      code: 410,
    };
    expect(event('ERROR', status).object['message']).toBe('namespace web is gone');
  });

  it('that are Tables have their columns once, with the first that the client sees', () => {
    const scope = scopeOf('acme');
    const at = kindAt(scope, '/namespaces');
    const columns = [{ name: 'Name', type: 'string', format: 'name' }];
    const table = (name: string, columnDefinitions: JsonValue) => ({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions,
      rows: [
        {
          cells: [name],
          object: {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { name, labels: { 'kubeveil.dev/tenant': name.split('--')[0] ?? '' } },
          },
        },
      ],
    });
    const show = (object: JsonObject) => eventToTenant({ type: 'ADDED', object }, at, scope).object;
    expect(() => show(table('acme--early', null))).toThrow(NotOurs);
    expect(() => show(table('globex--web', columns))).toThrow(NotOurs);
    expect(show(table('acme--web', null))).toMatchObject({ columnDefinitions: columns, rows: [{ cells: ['web'] }] });
    expect(show(table('acme--db', null))).toMatchObject({ columnDefinitions: null, rows: [{ cells: ['db'] }] });
  });

  it('that are Tables are mapped row by row', () => {
    const table = (namespace: string) => ({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions: [{ name: 'Name', type: 'string', format: 'name' }],
      rows: [
        {
          cells: ['p'],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'p', namespace } },
        },
      ],
    });
    expect(event('ADDED', table('acme--web')).object).toMatchObject({
      rows: [{ object: { metadata: { namespace: 'web' } } }],
    });
    expect(() => event('ADDED', table('globex--web'))).toThrow(NotOurs);
  });
});
