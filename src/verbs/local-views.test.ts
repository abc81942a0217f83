import { beforeEach, describe, expect, it } from 'vitest';
import { Feed, type Scripted } from '../../test/support/scripted-upstream.ts';
import { NotedInformer, refusal, TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject } from '../k8s/types.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const BINDINGS = `${RBAC}/namespaces/web/rolebindings`;

/** Native and namespaced; virtual and cluster-scoped. */
let bindings: NotedInformer;
let roles: NotedInformer;
beforeEach(() => {
  bindings = new NotedInformer();
  roles = new NotedInformer();
});

function binding(name = 'one', metadata: JsonObject = {}): JsonObject {
  return {
    kind: 'RoleBinding',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    metadata: { namespace: 'acme--web', name, uid: `uid-${name}`, resourceVersion: '5', ...metadata },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kubeveil.inert/acme/User/alice' }],
  };
}
function role(name = 'acme--reader'): JsonObject {
  return {
    kind: 'ClusterRole',
    apiVersion: 'virtual.kubeveil.dev/v1',
    metadata: { name, uid: `uid-${name}`, resourceVersion: '5', labels: { 'kubeveil.dev/tenant': 'acme' } },
    rules: [],
  };
}
function given(kind: string, name: string, more: JsonObject = {}): JsonObject {
  return { kind, apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name }, ...more };
}
const ROLE_REF = { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' } };

function success(name: string, uid = `uid-${name}`): Scripted {
  const details = { name, group: 'rbac.authorization.k8s.io', kind: 'rolebindings', uid };
  return { status: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
}

function lab(answer: Scripted): VerbLab {
  const followed = new Map([
    [`${RBAC}/rolebindings`, bindings],
    ['/apis/virtual.kubeveil.dev/v1/clusterroles', roles],
  ]);
  return new VerbLab(({ method }) => (method === 'GET' ? { status: 200, body: role() } : answer), { followed });
}

function held(informer: NotedInformer): string[] {
  return [...informer.objects.keys()];
}

describe('a write', () => {
  it('that makes or changes an object shows at once, as upstream stored it', async () => {
    const one = lab({ status: 201, body: binding() });
    await one.ask('POST', BINDINGS, { body: given('RoleBinding', 'one', ROLE_REF) });
    expect(bindings.get('acme--web', 'one')).toEqual(binding());
    const two = lab({ status: 200, body: binding('one', { resourceVersion: '6' }) });
    await two.ask('PUT', `${BINDINGS}/one`, { body: given('RoleBinding', 'one', ROLE_REF) });
    expect(bindings.get('acme--web', 'one')).toMatchObject({ metadata: { resourceVersion: '6' } });
    const three = lab({ status: 200, body: binding('one', { resourceVersion: '7' }) });
    const body = { metadata: { labels: { a: 'b' } } };
    await three.ask('PATCH', `${BINDINGS}/one`, { body, type: 'application/merge-patch+json' });
    expect(bindings.get('acme--web', 'one')).toMatchObject({ metadata: { resourceVersion: '7' } });
  });

  it('of a virtual kind shows in the view of its collection upstream', async () => {
    await lab({ status: 201, body: role() }).ask('POST', `${RBAC}/clusterroles`, {
      body: given('ClusterRole', 'reader'),
    });
    expect(roles.get('', 'acme--reader')).toEqual(role());
  });

  it.each([
    ['was refused', '', refusal(403, 'Forbidden')],
    ['was only rehearsed', '?dryRun=All', { status: 201, body: binding() }],
    ['was answered with rows', '', { status: 201, body: { kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [] } }],
  ])('that %s changes nothing', async (what, query, answer) => {
    const accept = what.endsWith('rows') ? { accept: TABLE } : {};
    await lab(answer).ask('POST', `${BINDINGS}${query}`, { body: given('RoleBinding', 'one', ROLE_REF), ...accept });
    expect(held(bindings)).toEqual([]);
  });

  it('of a kind that nobody follows needs no view', async () => {
    const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one' } };
    const one = lab({ status: 201, body: { ...body, metadata: { name: 'one', namespace: 'acme--web' } } });
    expect(await one.ask('POST', '/api/v1/namespaces/web/configmaps', { body })).toMatchObject({ status: 201 });
  });
});

describe('a deletion', () => {
  it('counts from its answer on', async () => {
    bindings.note(binding());
    bindings.note(binding('other'));
    await lab(success('one')).ask('DELETE', `${BINDINGS}/one`);
    expect(held(bindings)).toEqual(['acme--web/other']);
    roles.note(role());
    await lab(success('acme--reader')).ask('DELETE', `${RBAC}/clusterroles/reader`);
    expect(held(roles)).toEqual([]);
  });

  it('of an object that waits for its finalizers leaves it, marked', async () => {
    bindings.note(binding());
    const marked = binding('one', {
      finalizers: ['x/y'],
      resourceVersion: '6',
      deletionTimestamp: '2026-01-01T00:00:00Z',
    });
    await lab({ status: 200, body: marked }).ask('DELETE', `${BINDINGS}/one`);
    expect(bindings.get('acme--web', 'one')).toEqual(marked);
  });

  it('that is answered with the object itself counts as well', async () => {
    bindings.note(binding());
    await lab({ status: 200, body: binding() }).ask('DELETE', `${BINDINGS}/one`);
    expect(held(bindings)).toEqual([]);
  });

  it.each([
    ['was refused', '', refusal(403, 'Forbidden'), undefined],
    ['was only rehearsed', '?dryRun=All', success('one'), undefined],
    ['was only rehearsed, by its options', '', success('one'), { dryRun: ['All'] }],
  ])('that %s changes nothing', async (_what, query, answer, options) => {
    bindings.note(binding());
    await lab(answer).ask('DELETE', `${BINDINGS}/one${query}`, options === undefined ? {} : { body: options });
    expect(held(bindings)).toEqual(['acme--web/one']);
  });

  it('of a collection counts for every object that nothing holds', async () => {
    for (const name of ['one', 'held', 'other']) bindings.note(binding(name));
    const items = [binding('one'), binding('held', { finalizers: ['x/y'] })];
    await lab({
      status: 200,
      body: { kind: 'RoleBindingList', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: {}, items },
    }).ask('DELETE', BINDINGS);
    expect(held(bindings)).toEqual(['acme--web/held', 'acme--web/other']);
  });

  it.each([
    ['?propagationPolicy=Foreground', undefined],
    ['', { propagationPolicy: 'Orphan' }],
    ['?orphanDependents=true', undefined],
  ])(
    'of a collection leaves the objects to the garbage collector where it is to have them (%s %o)',
    async (query, body) => {
      bindings.note(binding());
      const list = {
        kind: 'RoleBindingList',
        apiVersion: 'rbac.authorization.k8s.io/v1',
        metadata: {},
        items: [binding()],
      };
      await lab({ status: 200, body: list }).ask('DELETE', `${BINDINGS}${query}`, body === undefined ? {} : { body });
      expect(held(bindings)).toEqual(['acme--web/one']);
    },
  );
});

describe('what a client is shown', () => {
  const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const NAME = 'foos.acme--stable.example.com';
  const TYPE = { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1' };
  const crd = (resourceVersion: string, typed = true): JsonObject => ({
    ...(typed ? TYPE : {}),
    metadata: { name: NAME, uid: 'u', resourceVersion, labels: { 'kubeveil.dev/tenant': 'acme' } },
    spec: { group: 'acme--stable.example.com', names: { plural: 'foos' }, versions: [] },
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  });
  let definitions: NotedInformer;
  const reading = (body: JsonObject) =>
    new VerbLab(() => ({ status: 200, body }), { followed: new Map([[CRDS, definitions]]) });
  beforeEach(() => {
    definitions = new NotedInformer();
  });

  it('counts at once, by name and in a list', async () => {
    await reading(crd('5')).ask('GET', `${CRDS}/foos.stable.example.com`);
    expect(definitions.get('', NAME)).toEqual(crd('5'));
    const list = { ...TYPE, kind: `${TYPE.kind}List`, metadata: { resourceVersion: '9' }, items: [crd('7', false)] };
    await reading(list).ask('GET', CRDS);
    expect(definitions.get('', NAME)).toEqual(crd('7', false));
  });

  it('counts at once in a watch', async () => {
    const feed = new Feed();
    const lab = new VerbLab(() => ({ status: 200, body: feed }), { followed: new Map([[CRDS, definitions]]) });
    const events = await lab.watch(`${CRDS}?watch=true&resourceVersion=4`);
    feed.send({ type: 'MODIFIED', object: crd('5') });
    await events.next();
    expect(definitions.get('', NAME)).toEqual(crd('5'));
    feed.send({ type: 'DELETED', object: crd('8') });
    await events.next();
    expect(definitions.get('', NAME)).toEqual(crd('5'));
    feed.end();
  });

  it('tells nothing where it is cut, or refused', async () => {
    const partial = {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: crd('5')['metadata'] ?? {},
    };
    await reading(partial).ask('GET', `${CRDS}/foos.stable.example.com`, {
      accept: { kind: 'PartialObjectMetadata', group: 'meta.k8s.io', version: 'v1' },
    });
    expect(held(definitions)).toEqual([]);
  });
});
