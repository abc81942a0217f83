import { describe, expect, it } from 'vitest';
import { Feed, type Scripted } from '../../test/support/scripted-upstream.ts';
import { TABLE, VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject, WatchEvent } from '../k8s/types.ts';

/**
 * What no verb may ever show, whatever upstream answers: the translator alone would let most of these pass, or the host
 * has answered somebody who is not confined. Each has a twin, the same request with the tenant's own object.
 */
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SECRET = 'foreign-data';
const META = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };

type Owner = 'own' | 'foreign';

/** A cluster-scoped object of a virtual kind; the foreign one has the tenant's name and another's label. */
function role(owner: Owner): JsonObject {
  const labels = { 'kubeveil.dev/tenant': owner === 'own' ? 'acme' : 'globex' };
  return {
    kind: 'ClusterRole',
    apiVersion: 'virtual.kubeveil.dev/v1',
    metadata: { name: 'acme--reader', uid: 'u', resourceVersion: '7', labels, annotations: { a: dataOf(owner) } },
    rules: [],
  };
}
/** The foreign one has the tenant's label and another's name. */
function namespace(owner: Owner): JsonObject {
  return {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: {
      name: owner === 'own' ? 'acme--web' : 'globex--web',
      uid: 'u',
      resourceVersion: '7',
      labels: { 'kubeveil.dev/tenant': 'acme' },
      annotations: { a: dataOf(owner) },
    },
  };
}
function secret(owner: Owner): JsonObject {
  return {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { namespace: owner === 'own' ? 'acme--web' : 'globex--web', name: 's', uid: 'u', resourceVersion: '7' },
    data: { a: dataOf(owner) },
  };
}
/** Published: only what the policy shares. */
function storageClass(owner: Owner): JsonObject {
  return {
    kind: 'StorageClass',
    apiVersion: 'storage.k8s.io/v1',
    metadata: { name: owner === 'own' ? 'shared' : 'hidden', resourceVersion: '7', labels: { a: dataOf(owner) } },
    provisioner: 'example.com/disks',
  };
}
function dataOf(owner: Owner): string {
  return owner === 'own' ? 'own-data' : SECRET;
}
function listOf(object: JsonObject): JsonObject {
  const { kind, apiVersion, ...item } = object;
  return { kind: `${kind}List`, apiVersion: apiVersion ?? '', metadata: { resourceVersion: '9' }, items: [item] };
}
function tableOf({ kind: _kind, apiVersion: _apiVersion, ...object }: JsonObject): JsonObject {
  const columnDefinitions = [{ name: 'Name', type: 'string', format: '' }];
  const rows = [{ cells: [JSON.stringify(object)], object: { ...META, ...object } }];
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '9' }, columnDefinitions, rows };
}
function wholeTableOf(object: JsonObject): JsonObject {
  const table = tableOf(object);
  return { ...table, rows: [{ cells: ['x'], object }] };
}
function added(object: JsonObject): Feed {
  return new Feed().send({ type: 'ADDED', object }).end();
}

/** All that a tenant gets for a request, as text. */
async function seen(
  answer: (owner: Owner) => JsonObject | Feed,
  owner: Owner,
  method: string,
  target: string,
  options: { body?: JsonObject; type?: string; accept?: typeof TABLE } = {},
): Promise<string> {
  const lab = new VerbLab(
    ({ path, query = [] }): Scripted => {
      // Of a list over all namespaces and of an update, what comes before is as it should be.
      if (path === '/api/v1/namespaces' && target === '/api/v1/secrets')
        return { status: 200, body: listOf(namespace('own')) };
      if (path.includes('acme--default')) return { status: 200, body: listOf(secret('own')) };
      const isForced = query.some(([name]) => name === 'dryRun');
      return { status: 200, body: isForced ? role('own') : answer(owner) };
    },
    { namespaces: { default: 'ready', web: 'absent' }, shared: new Set(['shared']) },
  );
  try {
    const reply = await lab.request(method, target, options);
    if (reply.kind !== 'watch') return JSON.stringify(reply);
    const events: WatchEvent[] = [];
    for await (const event of reply.events) events.push(event);
    return JSON.stringify(events);
  } catch (error) {
    return String(error);
  }
}

const WATCH = 'watch=true&resourceVersion=5';
const NAMESPACE = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'web' } };
const MERGE = 'application/merge-patch+json';

describe('nothing of anybody else passes', () => {
  it.each([
    ['get', role, 'GET', `${RBAC}/clusterroles/reader`, {}],
    [
      'get as a Table',
      (owner: Owner) => wholeTableOf(role(owner)),
      'GET',
      `${RBAC}/clusterroles/reader`,
      { accept: TABLE },
    ],
    ['get in a namespace that is not guarded', secret, 'GET', '/api/v1/namespaces/web/secrets/s', {}],
    [
      'get there as a Table',
      (owner: Owner) => tableOf(secret(owner)),
      'GET',
      '/api/v1/namespaces/web/secrets/s',
      { accept: TABLE },
    ],
    ['get of a namespace', namespace, 'GET', '/api/v1/namespaces/web', {}],
    ['list', (owner: Owner) => listOf(role(owner)), 'GET', `${RBAC}/clusterroles`, {}],
    ['list as a Table', (owner: Owner) => wholeTableOf(role(owner)), 'GET', `${RBAC}/clusterroles`, { accept: TABLE }],
    ['list of namespaces', (owner: Owner) => listOf(namespace(owner)), 'GET', '/api/v1/namespaces', {}],
    [
      'list in a namespace that is not guarded',
      (owner: Owner) => listOf(secret(owner)),
      'GET',
      '/api/v1/namespaces/web/secrets',
      {},
    ],
    [
      'list of what is published',
      (owner: Owner) => listOf(storageClass(owner)),
      'GET',
      '/apis/storage.k8s.io/v1/storageclasses',
      {},
    ],
    ['list over all namespaces', (owner: Owner) => listOf(secret(owner)), 'GET', '/api/v1/secrets', {}],
    ['watch', (owner: Owner) => added(role(owner)), 'GET', `${RBAC}/clusterroles?${WATCH}`, {}],
    [
      'watch as a Table',
      (owner: Owner) => added(wholeTableOf(role(owner))),
      'GET',
      `${RBAC}/clusterroles?${WATCH}`,
      { accept: TABLE },
    ],
    [
      'watch in a namespace that is not guarded',
      (owner: Owner) => added(secret(owner)),
      'GET',
      `/api/v1/namespaces/web/secrets?${WATCH}`,
      {},
    ],
    [
      'watch of what is published',
      (owner: Owner) => added(storageClass(owner)),
      'GET',
      `/apis/storage.k8s.io/v1/storageclasses?${WATCH}`,
      {},
    ],
    ['watch over all namespaces', (owner: Owner) => added(secret(owner)), 'GET', `/api/v1/secrets?${WATCH}`, {}],
    [
      'watch over all namespaces as a Table',
      (owner: Owner) => added(tableOf(secret(owner))),
      'GET',
      `/api/v1/secrets?${WATCH}`,
      { accept: TABLE },
    ],
    ['update of a namespace', namespace, 'PUT', '/api/v1/namespaces/web', { body: NAMESPACE }],
    [
      'patch of a namespace',
      namespace,
      'PATCH',
      '/api/v1/namespaces/web',
      { body: { metadata: { labels: { a: 'b' } } }, type: MERGE },
    ],
    ['delete of a namespace', namespace, 'DELETE', '/api/v1/namespaces/web', {}],
    ['create of a namespace', namespace, 'POST', '/api/v1/namespaces', { body: NAMESPACE }],
    ['deletecollection', (owner: Owner) => listOf(role(owner)), 'DELETE', `${RBAC}/clusterroles`, {}],
  ] as const)('by %s', async (_what, answer, method, target, options) => {
    const asked = (owner: Owner) => seen(answer, owner, method, target, options);
    expect(await asked('own')).toContain('own-data');
    const foreign = await asked('foreign');
    expect(foreign).not.toContain(SECRET);
    expect(foreign).not.toContain('globex');
  });

  it('by get of what is published, without upstream being asked', async () => {
    const lab = new VerbLab(() => ({ status: 200, body: storageClass('own') }), { shared: new Set(['shared']) });
    const classes = '/apis/storage.k8s.io/v1/storageclasses';
    expect(await lab.ask('GET', `${classes}/shared`)).toMatchObject({ status: 200 });
    await expect(lab.request('GET', `${classes}/hidden`)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    expect(lab.upstream.requests).toHaveLength(1);
  });
});
