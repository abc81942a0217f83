/** What an object says of others: no owner is the host's, no claim chooses its volume, no manager is the proxy. */
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { asBoth, type KubeObject, useProduct } from '../support/as-tenant.ts';

const { acme, both, host } = useProduct();
const NAMESPACE = 'owned';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const [NODE = ''] = inject('controlPlane').nodes;

function map(name: string, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } };
}

beforeAll(async () => void (await asBoth(both, (tenant) => tenant.kubectl(`create namespace ${NAMESPACE}`))));

describe('owners', () => {
  it('of the host are refused, however they are written', async () => {
    const { uid } = (await acme.get(`node ${NODE}`)).metadata;
    const owner = { apiVersion: 'v1', kind: 'Node', name: NODE, uid, blockOwnerDeletion: true };
    const refusal = {
      status: 422,
      object: { message: expect.stringMatching(/ownerReferences.*Forbidden: objects of kind Node/) },
    };
    const owned = (name: string) => map(name, { ownerReferences: [owner] });
    expect(await acme.write('POST', MAPS, owned('made'))).toMatchObject(refusal);
    await acme.create(map('changed', { namespace: NAMESPACE }));
    expect(await acme.write('PUT', `${MAPS}/changed`, owned('changed'))).toMatchObject(refusal);
    for (const [type, body] of [
      ['merge-patch+json', owned('changed')],
      ['strategic-merge-patch+json', owned('changed')],
      ['apply-patch+yaml', owned('changed')],
      ['json-patch+json', [{ op: 'add', path: '/metadata/ownerReferences', value: [owner] }]],
      ['json-patch+json', [{ op: 'add', path: '/metadata/ownerReferences/-', value: owner }]],
    ] as const) {
      const answer = await acme.write('PATCH', `${MAPS}/changed?fieldManager=test`, body, {
        headers: { 'content-type': `application/${type}` },
      });
      expect({ type, ...answer }).toMatchObject(refusal);
    }
  });

  it('cannot be the host’s by their uid either: it is shown to nobody', async () => {
    const { metadata } = (await host.send('GET', `/api/v1/nodes/${NODE}`)).body as KubeObject;
    const [seenByAcme, seenByGlobex] = await asBoth(both, async (tenant) => {
      expect(await tenant.kubectl('get nodes -o yaml')).not.toContain(metadata.uid);
      return (await tenant.get(`node ${NODE}`)).metadata.uid as string;
    });
    expect(seenByAcme).toMatch(/^[0-9a-f-]{36}$/);
    expect(seenByAcme).not.toBe(seenByGlobex);
    expect((await acme.get(`nodes`)).items.map(({ metadata: { uid } }: KubeObject) => uid)).toContain(seenByAcme);
  });
});

describe('claims', () => {
  const CLAIMS = `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`;
  const claim = (name: string, more: JsonObject = {}) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'none-such',
      ...more,
    },
  });

  it('choose no volume, however they are written', async () => {
    expect(await acme.write('POST', CLAIMS, claim('made', { volumeName: 'kept' }))).toMatchObject({
      status: 422,
      object: { message: expect.stringContaining('spec.volumeName: Forbidden') },
    });
    expect(await acme.write('POST', CLAIMS, claim('open'))).toMatchObject({ status: 201 });
    const current = await acme.json(`${CLAIMS}/open`);
    const chosen = { ...current, spec: { ...current.spec, volumeName: 'kept' } };
    const refusal = { status: 403, object: { message: expect.stringContaining('spec.volumeName is set when') } };
    expect(await acme.write('PUT', `${CLAIMS}/open`, chosen)).toMatchObject(refusal);
    for (const [type, body] of [
      ['merge-patch+json', { spec: { volumeName: 'kept' } }],
      ['strategic-merge-patch+json', { spec: { volumeName: 'kept' } }],
      ['apply-patch+yaml', claim('open', { volumeName: 'kept' })],
      ['json-patch+json', [{ op: 'add', path: '/spec/volumeName', value: 'kept' }]],
    ] as const) {
      const answer = await acme.write(
        'PATCH',
        `${CLAIMS}/open?fieldManager=test${type.startsWith('apply') ? '&force=true' : ''}`,
        body,
        {
          headers: { 'content-type': `application/${type}` },
        },
      );
      expect({ type, ...answer }).toMatchObject(refusal);
    }
    const applied = await acme.write('PATCH', `${CLAIMS}/new?fieldManager=test`, claim('new', { volumeName: 'kept' }), {
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
    expect(applied).toMatchObject(refusal);
    expect(
      await acme.write('PUT', `${CLAIMS}/open`, { ...current, metadata: { ...current.metadata, labels: { a: 'b' } } }),
    ).toMatchObject({ status: 200 });
  });
});

describe('managers', () => {
  const managersOf = (found: KubeObject): string[] =>
    found.metadata.managedFields.map(({ manager }: KubeObject) => manager);

  it('are the programs of the client, as at the API server', async () => {
    for (const [agent, manager] of [
      ['terraform/1.9 (linux)', 'terraform'],
      [undefined, 'unknown'],
    ] as const) {
      const headers = { 'content-type': 'application/json', ...(agent === undefined ? {} : { 'user-agent': agent }) };
      const name = `by-${manager}`;
      const { object } = await acme.write('POST', MAPS, { ...map(name), data: { a: 'b' } }, { headers });
      expect(managersOf(object)).toEqual([manager]);
      const direct = await host.send('POST', `/api/v1/namespaces/acme--${NAMESPACE}/configmaps`, {
        ...map(`${name}-direct`),
        data: { a: 'b' },
      });
      // The host's client says nothing of itself.
      if (agent === undefined) expect(managersOf(direct.body)).toEqual([manager]);
    }
    const put = await acme.write('PUT', `${MAPS}/by-terraform?fieldManager=me`, {
      ...map('by-terraform'),
      data: { a: 'c' },
    });
    expect(managersOf(put.object)).toContain('me');
  });

  it('of an apply must be named', async () => {
    const answer = await acme.write('PATCH', `${MAPS}/by-terraform`, map('by-terraform'), {
      headers: { 'content-type': 'application/apply-patch+yaml', 'user-agent': 'terraform/1.9' },
    });
    expect(answer).toMatchObject({
      status: 422,
      object: { message: expect.stringContaining('fieldManager: Required value') },
    });
  });
});

describe('the metadata of one role', () => {
  it('is no list, and has no generation', async () => {
    await acme.kubectl('create clusterrole shaped --verb=get --resource=pods');
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/shaped';
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const answer = await acme.send(path, { headers: { accept } });
    expect(answer.status).toBe(406);
    expect(answer.text).toContain('the requested object is not a list (*rbac.ClusterRole)');
    expect((await acme.json(path)).metadata.generation).toBeUndefined();
  });
});
