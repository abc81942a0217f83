import { afterAll, describe, expect, it } from 'vitest';
import { Feed, type Scripted, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import { VerbLab } from '../../test/support/verb-lab.ts';
import { createRoleView } from '../authz/role-view.ts';
import { createTenantRbac } from '../authz/tenant-rbac.ts';
import { cloneJson } from '../codec/json.ts';
import { HostHistory } from '../k8s/host-history.ts';
import type { Informer } from '../k8s/informer.ts';
import { metadataOf, nameOf, uidOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { toUpstream } from '../translate/object.ts';
import { createInformer } from '../upstream/informer.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const VIRTUAL = '/apis/virtual.kubeveil.dev/v1';

const ending = new AbortController();
afterAll(() => ending.abort());

const BOT = { username: 'system:serviceaccount:web:bot', groups: [], uid: '', extra: {} };
const SUBJECTS = [{ kind: 'ServiceAccount', name: 'bot', namespace: 'web' }];
const RULES = [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }];

/** An object of the tenant's, as it is stored. */
function stored(resource: string, kind: string, metadata: JsonObject, rest: JsonObject): JsonObject {
  const scope = scopeOf('acme');
  // Mapping works in place.
  const object = cloneJson({ kind, apiVersion: 'rbac.authorization.k8s.io/v1', metadata, ...rest });
  const upstream = toUpstream(object, kindAt(scope, `rbac.authorization.k8s.io/${resource}`), scope);
  return { ...upstream, metadata: { ...metadataOf(upstream), uid: `${kind}-uid`, resourceVersion: '5' } };
}

function roleRef(kind: string): JsonObject {
  return { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'lister' };
}

/** By the path of the collection. */
const COLLECTIONS: Readonly<Record<string, JsonObject>> = {
  [`${RBAC}/roles`]: stored('roles', 'Role', { namespace: 'web', name: 'lister' }, { rules: RULES }),
  [`${RBAC}/rolebindings`]: stored(
    'rolebindings',
    'RoleBinding',
    { namespace: 'web', name: 'listers' },
    { roleRef: roleRef('Role'), subjects: SUBJECTS },
  ),
  [`${VIRTUAL}/clusterroles`]: stored('clusterroles', 'ClusterRole', { name: 'lister' }, { rules: RULES }),
  [`${VIRTUAL}/clusterrolebindings`]: stored(
    'clusterrolebindings',
    'ClusterRoleBinding',
    { name: 'listers' },
    { roleRef: roleRef('ClusterRole'), subjects: SUBJECTS },
  ),
};

/** A host whose watches stay silent for good: what is known later than the lists is known from our own writes. */
async function world() {
  const host = new ScriptedUpstream(({ path, query }): Scripted => {
    if (query?.some(([name]) => name === 'watch')) return { status: 200, body: new Feed() };
    return { status: 200, body: { metadata: { resourceVersion: '9' }, items: [COLLECTIONS[path] ?? {}] } };
  });
  const follow = (path: string): Informer =>
    createInformer({
      upstream: host,
      identity: { as: 'reader' },
      path,
      history: new HostHistory(),
      signal: ending.signal,
    });
  const informers = {
    roles: follow(`${RBAC}/roles`),
    rolebindings: follow(`${RBAC}/rolebindings`),
    clusterroles: follow(`${VIRTUAL}/clusterroles`),
    clusterrolebindings: follow(`${VIRTUAL}/clusterrolebindings`),
  };
  await Promise.all(Object.values(informers).map((informer) => informer.whenSynced()));
  const followed = new Map([
    [`${RBAC}/roles`, informers.roles],
    [`${RBAC}/rolebindings`, informers.rolebindings],
    [`${VIRTUAL}/clusterroles`, informers.clusterroles],
    [`${VIRTUAL}/clusterrolebindings`, informers.clusterrolebindings],
  ]);
  const lab = new VerbLab(
    ({ path }) => {
      const collection = path.replace('/namespaces/acme--web', '').split('/').slice(0, -1).join('/');
      const deleted = COLLECTIONS[collection] ?? {};
      const details = { name: nameOf(deleted), uid: uidOf(deleted) };
      return { status: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
    },
    { followed },
  );
  const { tenant, kinds } = lab.scope;
  const authorizer = createTenantRbac({
    informers,
    view: createRoleView((group) => kinds.isHostGroup(group)),
    defaults: { clusterroles: [], clusterrolebindings: [] },
  });
  const may = (namespace: string): boolean =>
    authorizer.decide(tenant, BOT, {
      isResource: true,
      verb: 'list',
      group: '',
      resource: 'configmaps',
      subresource: '',
      namespace,
      name: '',
    }).allowed;
  return { lab, may };
}

describe('a right that was taken away through this replica', () => {
  it.each([
    ['the RoleBinding', `${RBAC}/namespaces/web/rolebindings/listers`],
    ['the Role', `${RBAC}/namespaces/web/roles/lister`],
  ])('in one namespace is gone with the answer, before any watch tells of it: %s', async (_what, target) => {
    const { lab, may } = await world();
    await lab.ask('DELETE', `${RBAC}/clusterrolebindings/listers`);
    expect(may('web')).toBe(true);
    expect(may('default')).toBe(false);
    await lab.ask('DELETE', target);
    expect(may('web')).toBe(false);
  });

  it.each([
    ['the ClusterRoleBinding', `${RBAC}/clusterrolebindings/listers`],
    ['the ClusterRole', `${RBAC}/clusterroles/lister`],
  ])('everywhere is gone with the answer, before any watch tells of it: %s', async (_what, target) => {
    const { lab, may } = await world();
    expect(may('default')).toBe(true);
    await lab.ask('DELETE', target);
    expect(may('default')).toBe(false);
    expect(may('web')).toBe(true);
  });

  it('stays where the deletion was only rehearsed', async () => {
    const { lab, may } = await world();
    await lab.ask('DELETE', `${RBAC}/clusterrolebindings/listers?dryRun=All`);
    expect(may('default')).toBe(true);
  });
});
