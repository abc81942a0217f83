import { describe, expect, it } from 'vitest';
import { queryOf, type Scripted, textOf } from '../../test/support/scripted-upstream.ts';
import { listOf, NotedInformer, TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import { nameOf, uidOf } from '../k8s/meta.ts';
import { child, objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const UPSTREAM = '/apis/virtual.kubeveil.dev/v1/clusterroles';

/** As it is stored: by its upstream name. */
function role(name: string): JsonObject {
  return {
    metadata: { name, uid: 'stored', resourceVersion: '7', labels: { 'kubeveil.dev/tenant': 'acme' } },
    rules: [],
  };
}
function roles(items: readonly JsonObject[], metadata?: JsonObject): Scripted {
  return listOf('ClusterRoleList', 50, items, metadata);
}
function names({ object }: { object: JsonObject }): string[] {
  const rows = objects(object, 'rows').map((row) => child(row, 'object'));
  return [...objects(object, 'items'), ...rows].map(nameOf);
}

describe('a list of what partly stands without being stored', () => {
  it('is in the order of names, whatever upstream’s order is', async () => {
    // Upstream keeps the encoded name of `system:mine` behind `zoo`'s neighbours.
    const lab = new VerbLab(() => roles([role('acme--mine'), role('acme--x--system03amine'), role('acme--zoo')]));
    const shown = names(await lab.ask('GET', ROLES));
    expect(shown).toEqual([...shown].sort());
    expect(shown).toEqual(expect.arrayContaining(['admin', 'mine', 'system:mine', 'view', 'zoo']));
  });

  it('is so as a Table too', async () => {
    const lab = new VerbLab(() => ({
      status: 200,
      body: {
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '50' },
        columnDefinitions: [{ name: 'Name', type: 'string', format: 'name' }],
        rows: ['acme--zoo', 'acme--bar'].map((name) => ({
          cells: [name],
          object: { kind: 'ClusterRole', apiVersion: 'virtual.kubeveil.dev/v1', ...role(name) },
        })),
      },
    }));
    const reply = await lab.ask('GET', ROLES, { accept: TABLE });
    const shown = names(reply);
    expect(shown).toEqual([...shown].sort());
    expect(objects(reply.object, 'rows').map(({ cells }) => (cells as string[])[0])).toEqual(shown);
    expect(objects(reply.object, 'rows')[0]).toMatchObject({ object: { kind: 'PartialObjectMetadata' } });
  });

  it('shows the stored object of a name in place of the standing one', async () => {
    const lab = new VerbLab(() => roles([role('acme--view')]));
    const { object } = await lab.ask('GET', ROLES);
    const views = objects(object, 'items').filter((item) => nameOf(item) === 'view');
    expect(views.map(uidOf)).toEqual(['stored']);
  });

  it('has no kind and apiVersion in its items, like any list', async () => {
    const { object } = await new VerbLab(() => roles([])).ask('GET', ROLES);
    expect(objects(object, 'items').length).toBeGreaterThan(5);
    for (const item of objects(object, 'items')) expect(Object.keys(item)).not.toContain('kind');
  });

  it('holds namespaces in the order of names', async () => {
    const stored = (name: string) => ({ metadata: { name, labels: { 'kubeveil.dev/tenant': 'acme' } } });
    const lab = new VerbLab(() => listOf('NamespaceList', 50, [stored('acme--default'), stored('acme--zoo')]));
    expect(names(await lab.ask('GET', '/api/v1/namespaces'))).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
      'zoo',
    ]);
  });

  it.each([
    ['labelSelector=a%3Db', []],
    ['fieldSelector=metadata.name%3Dview', ['view']],
    ['labelSelector=rbac.authorization.k8s.io%2Faggregate-to-edit%3Dtrue', ['system:aggregate-to-edit', 'view']],
  ])('obeys %s', async (query, expected) => {
    const lab = new VerbLab(() => roles([]));
    expect(names(await lab.ask('GET', `${ROLES}?${query}`))).toEqual(expected);
  });

  it('hides a standing object whose stored one the selector does not pick', async () => {
    const views = new NotedInformer();
    views.note(role('acme--view'));
    const lab = new VerbLab(() => roles([]), { followed: new Map([[UPSTREAM, views]]) });
    expect(names(await lab.ask('GET', `${ROLES}?fieldSelector=metadata.name%3Dview`))).toEqual([]);
    expect(names(await lab.ask('GET', `${ROLES}?fieldSelector=metadata.name%3Dedit`))).toEqual(['edit']);
  });
});

describe('pages', () => {
  it('give what stands with the last, after upstream’s own', async () => {
    const lab = new VerbLab((request) =>
      queryOf(request)['continue'] === undefined
        ? roles([role('acme--mine')], { continue: 'next' })
        : roles([role('acme--zoo')]),
    );
    const first = await lab.ask('GET', `${ROLES}?limit=1`);
    expect(names(first)).toEqual(['mine']);
    const token = encodeURIComponent(String(child(first.object, 'metadata')['continue']));
    const last = names(await lab.ask('GET', `${ROLES}?limit=1&continue=${token}`));
    expect(last[0]).toBe('zoo');
    expect(last).toContain('admin');
  });

  it('that turn out to be one are a whole list', async () => {
    const lab = new VerbLab(() => roles([role('acme--zoo'), role('acme--bar')]));
    const shown = names(await lab.ask('GET', `${ROLES}?limit=500`));
    expect(shown).toEqual([...shown].sort());
    expect(shown).toContain('view');
  });
});

describe('a list of one collection', () => {
  it('of what only we may have asks for what no object has', async () => {
    const lab = new VerbLab(() => listOf('PodList', 50, []));
    await lab.ask('GET', '/api/v1/namespaces/web/pods?labelSelector=kubeveil.dev%2Ftenant%3Dglobex&limit=5');
    expect(lab.upstream.texts()).toEqual([
      'GET /api/v1/namespaces/acme--web/pods?limit=5&labelSelector=kubeveil.dev/nothing',
    ]);
  });

  it('in a namespace that is not there is empty, and asked for as the reader', async () => {
    const lab = new VerbLab(() => listOf('PodList', 50, []));
    expect(await lab.ask('GET', '/api/v1/namespaces/absent/pods')).toMatchObject({ status: 200 });
    expect(lab.upstream.requests.map((request) => [request.identity.as, textOf(request)])).toEqual([
      ['reader', 'GET /api/v1/namespaces/acme--absent/pods'],
    ]);
  });

  it('leaves out an object that cannot be shown, and tells why', async () => {
    const lab = new VerbLab(() =>
      listOf('PodList', 50, [
        { metadata: { namespace: 'globex--web', name: 'odd' } },
        { metadata: { namespace: 'acme--web', name: 'one' } },
      ]),
    );
    expect(names(await lab.ask('GET', '/api/v1/namespaces/web/pods'))).toEqual(['one']);
    expect(lab.leftOut).toHaveLength(1);
  });
});
