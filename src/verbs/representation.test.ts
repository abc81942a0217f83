import { describe, expect, it } from 'vitest';
import { listOf, VerbLab } from '../../test/support/verb-lab.ts';
import type { JsonObject } from '../k8s/types.ts';

const META = { group: 'meta.k8s.io', version: 'v1' } as const;
const ONE = { kind: 'PartialObjectMetadata', ...META } as const;
const MANY = { kind: 'PartialObjectMetadataList', ...META } as const;
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

const stored: JsonObject = {
  apiVersion: 'virtual.kubeveil.dev/v1',
  kind: 'ClusterRole',
  metadata: { name: 'acme--reader', resourceVersion: '7', labels: { 'kubeveil.dev/tenant': 'acme' } },
  rules: [],
};
const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'reader' } };

function lab(): VerbLab {
  return new VerbLab(({ method, path }) => {
    if (method === 'GET' && path.endsWith('s')) return listOf('ClusterRoleList', 7, [structuredClone(stored)]);
    return { status: 200, body: structuredClone(stored) };
  });
}

describe('the metadata alone of what is cut here', () => {
  it.each([
    ['GET', `${ROLES}/reader`, undefined],
    ['GET', `${ROLES}/edit`, undefined],
    ['POST', ROLES, role],
    ['PUT', `${ROLES}/reader`, role],
    ['PATCH', `${ROLES}/reader`, { metadata: { labels: { a: 'b' } } }],
  ] as const)('%s %s is one object, and no list', async (method, target, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const options = body === undefined ? {} : { body, type };
    await expect(lab().ask(method, target, { ...options, accept: MANY })).rejects.toMatchObject({
      code: 'ERR_NOT_ACCEPTABLE',
      message: 'you requested PartialObjectMetadataList, but the requested object is not a list (*rbac.ClusterRole)',
    });
    const { object } = await lab().ask(method, target, { ...options, accept: ONE });
    expect(object).toMatchObject({ kind: 'PartialObjectMetadata' });
  });

  it('LIST is a list, and no object', async () => {
    await expect(lab().ask('GET', ROLES, { accept: ONE })).rejects.toMatchObject({
      code: 'ERR_NOT_ACCEPTABLE',
      message: 'you requested PartialObjectMetadata, but the requested object is a list (*rbac.ClusterRoleList)',
    });
    expect((await lab().ask('GET', ROLES, { accept: MANY })).object).toMatchObject({
      kind: 'PartialObjectMetadataList',
    });
  });

  it('of a namespace or a volume, which may be answered here, is no list either', async () => {
    const text = /but the requested object is not a list \(\*core\./;
    const missing = new VerbLab(() => ({ status: 404, body: { kind: 'Status', reason: 'NotFound', code: 404 } }));
    await expect(missing.ask('GET', '/api/v1/namespaces/kube-system', { accept: MANY })).rejects.toThrow(text);
    const volume = { kind: 'PersistentVolume', apiVersion: 'v1', metadata: { name: 'pv' } };
    const claim = { spec: { claimRef: { namespace: 'acme--web', name: 'c' } } };
    const volumes = new VerbLab(() => ({ status: 200, body: { ...volume, ...claim } }));
    await expect(volumes.ask('GET', '/api/v1/persistentvolumes/pv', { accept: MANY })).rejects.toThrow(text);
  });

  it('of what is not there is not found, in whatever shape it is asked for', async () => {
    const missing = new VerbLab(() => ({
      status: 404,
      body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'none', reason: 'NotFound', code: 404 },
    }));
    expect((await missing.ask('GET', `${ROLES}/none`, { accept: MANY })).status).toBe(404);
  });

  it('of other kinds is upstream’s to refuse', async () => {
    const pods = new VerbLab(() => ({
      status: 406,
      body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'so', reason: 'NotAcceptable', code: 406 },
    }));
    expect((await pods.ask('GET', '/api/v1/namespaces/web/pods/p', { accept: MANY })).status).toBe(406);
  });
});

describe('the objects in the rows of a Table', () => {
  const TABLE = { kind: 'Table', ...META } as const;
  const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, columnDefinitions: [], rows: [] };
  const tables = () => new VerbLab(() => ({ status: 200, body: structuredClone(table) }));

  it.each(['', 'None', 'Metadata', 'Object'])('are included as asked: %j', async (included) => {
    const answer = await tables().ask('GET', `${ROLES}?includeObject=${included}`, { accept: TABLE });
    expect(answer.status).toBe(200);
  });

  it.each([ROLES, '/api/v1/namespaces', '/api/v1/namespaces/web/pods'])('are nothing else in %s', async (path) => {
    await expect(tables().ask('GET', `${path}?includeObject=nonsense`, { accept: TABLE })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      message:
        "Unable to convert to Table as requested: includeObject: Invalid value: \"nonsense\": must be 'Metadata', 'Object', 'None', or empty",
    });
  });
});
