/**
 * The wall around classes and volumes of trusted tenants, on the live API server. Every refusal has a twin that passes.
 * @see deploy/59-wall-classes.yaml, deploy/51-wall-cluster-scoped.yaml, deploy/31-rbac-tenants.yaml
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { Answer } from '../support/token-client.ts';
import { impersonate } from '../support/token-client.ts';
import { ACME, DRY, expectDone, expectRefused, GLOBEX, prepareWalls, type Walls } from '../support/walls.ts';

const PATHS = {
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
  VolumeAttributesClass: '/apis/storage.k8s.io/v1/volumeattributesclasses',
  IngressClass: '/apis/networking.k8s.io/v1/ingressclasses',
  PriorityClass: '/apis/scheduling.k8s.io/v1/priorityclasses',
  RuntimeClass: '/apis/node.k8s.io/v1/runtimeclasses',
  DeviceClass: '/apis/resource.k8s.io/v1/deviceclasses',
  PersistentVolume: '/api/v1/persistentvolumes',
} as const;
type Held = keyof typeof PATHS;

const BODIES: Record<Held, JsonObject> = {
  StorageClass: { provisioner: 'example.com/disk' },
  VolumeAttributesClass: { driverName: 'example.com', parameters: { iops: '1' } },
  IngressClass: { spec: { controller: 'example.com/ingress' } },
  PriorityClass: { value: 1000 },
  RuntimeClass: { handler: 'runc' },
  DeviceClass: { spec: { selectors: [{ cel: { expression: 'true' } }] } },
  PersistentVolume: {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: `${ACME}--fast`,
      csi: { driver: 'example.com', volumeHandle: 'a' },
    },
  },
};
const KINDS = Object.keys(PATHS) as Held[];

let walls: Walls;
beforeAll(async () => {
  walls = await prepareWalls(inject('controlPlane'));
});
afterAll(() => walls[Symbol.asyncDispose]());

function body(kind: Held, metadata: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const path: string = PATHS[kind];
  const apiVersion = path.startsWith('/api/') ? 'v1' : path.split('/').slice(2, 4).join('/');
  const labels = { 'kubeveil.dev/tenant': ACME };
  return { apiVersion, kind, ...BODIES[kind], ...more, metadata: { name: `${ACME}--mine`, labels, ...metadata } };
}

function make(kind: Held, object: JsonObject, groups = ['kubeveil:trusted']): Promise<Answer> {
  const headers = impersonate(`kubeveil:${ACME}`, 'kubeveil:tenants', `kubeveil:tenant:${ACME}`, ...groups);
  return walls.dataPath.send('POST', PATHS[kind] + DRY, { body: object, headers });
}

describe.each(KINDS)('%s', (kind) => {
  it('is made by requests of trusted tenants, and no others', async () => {
    expectDone(await make(kind, body(kind)));
    expectRefused(await make(kind, body(kind), []), /cannot create/);
  });
  it('carries the prefix and the label of its tenant', async () => {
    expectRefused(await make(kind, body(kind, { name: 'mine' })), /must begin with/);
    expectRefused(await make(kind, body(kind, { name: `${GLOBEX}--mine` })), /must begin with/);
    expectRefused(await make(kind, body(kind, { labels: { 'kubeveil.dev/tenant': GLOBEX } })), /must carry the label/);
    expectRefused(await make(kind, body(kind, { labels: {} })), /must carry the label/);
  });
});

describe('default marks', () => {
  it.each([
    ['StorageClass', 'storageclass.kubernetes.io/is-default-class'],
    ['StorageClass', 'storageclass.beta.kubernetes.io/is-default-class'],
    ['IngressClass', 'ingressclass.kubernetes.io/is-default-class'],
  ] as const)('of a %s stay with the tenant: %s', async (kind, key) => {
    expectRefused(await make(kind, body(kind, { annotations: { [key]: 'true' } })), /not the default of the whole/);
    const kept = key.replace('.kubernetes.io/', '.kubeveil.dev/');
    expectDone(await make(kind, body(kind, { annotations: { [kept]: 'true' } })));
  });
  it('of a PriorityClass stay with the tenant', async () => {
    expectRefused(await make('PriorityClass', body('PriorityClass', {}, { globalDefault: true })), /not the default/);
    expectDone(await make('PriorityClass', body('PriorityClass', {}, { globalDefault: false })));
  });
});

it('a DeviceClass serves no extended resource', async () => {
  const withName = (name: string) =>
    body('DeviceClass', {}, { spec: { ...(BODIES.DeviceClass['spec'] as JsonObject), extendedResourceName: name } });
  expectRefused(await make('DeviceClass', withName('example.com/gpu')), /serves no extended resource/);
});

it('a StorageClass names secrets of its tenant', async () => {
  const withParameters = (parameters: JsonObject) => body('StorageClass', {}, { parameters });
  for (const key of ['csi.storage.k8s.io/node-stage-secret-namespace', 'adminSecretNamespace']) {
    for (const namespace of [`${GLOBEX}--web`, 'kube-system'])
      expectRefused(await make('StorageClass', withParameters({ [key]: namespace })), /names secrets in namespaces/);
    for (const namespace of [`${ACME}--web`, `\${pvc.namespace}`])
      expectDone(await make('StorageClass', withParameters({ [key]: namespace })));
  }
});

describe('volumes', () => {
  const volume = (spec: JsonObject, annotations: JsonObject = {}) =>
    body(
      'PersistentVolume',
      { annotations },
      { spec: { ...(BODIES.PersistentVolume['spec'] as JsonObject), ...spec } },
    );

  it.each(['', 'standard', `${GLOBEX}--fast`])('are of no class that others name: %j', async (storageClassName) => {
    expectRefused(await make('PersistentVolume', volume({ storageClassName })), /is of a class named/);
    const annotation = { 'volume.beta.kubernetes.io/storage-class': storageClassName };
    expectRefused(await make('PersistentVolume', volume({}, annotation)), /is of a class named/);
  });
  it('are kept for claims of their tenant', async () => {
    const kept = (namespace: string) => volume({ claimRef: { kind: 'PersistentVolumeClaim', namespace, name: 'a' } });
    expectDone(await make('PersistentVolume', kept(`${ACME}--web`)));
    expectRefused(await make('PersistentVolume', kept(`${GLOBEX}--web`)), /names claims and secrets/);
    expectRefused(await make('PersistentVolume', kept('kube-system')), /names claims and secrets/);
  });
  it.each([
    ['csi', 'nodeStageSecretRef', { driver: 'example.com', volumeHandle: 'a' }],
    ['csi', 'controllerExpandSecretRef', { driver: 'example.com', volumeHandle: 'a' }],
    ['iscsi', 'secretRef', { targetPortal: '1.2.3.4', iqn: 'iqn.2015-02.example.com:test', lun: 0 }],
    ['cephfs', 'secretRef', { monitors: ['a'] }],
    ['cinder', 'secretRef', { volumeID: 'a' }],
    ['flexVolume', 'secretRef', { driver: 'a/b' }],
  ])('name secrets of their tenant: %s %s', async (source, field, more) => {
    const plain = volume({ [source]: { ...more } });
    const of = (namespace: string) => {
      const object = structuredClone(plain);
      const spec = object['spec'] as JsonObject;
      if (source !== 'csi') delete spec['csi'];
      (spec[source] as JsonObject)[field] = { name: 's', namespace };
      return object;
    };
    expectDone(await make('PersistentVolume', of(`${ACME}--web`)));
    expectRefused(await make('PersistentVolume', of('kube-system')), /names claims and secrets/);
  });
  it('keep all this when they are changed', async () => {
    const headers = impersonate(`kubeveil:${ACME}`, 'kubeveil:tenants', `kubeveil:tenant:${ACME}`, 'kubeveil:trusted');
    const send = (method: string, path: string, content: JsonObject, contentType?: string) =>
      walls.dataPath.send(method, path, { body: content, headers, ...(contentType && { contentType }) });
    expectDone(await send('POST', PATHS.PersistentVolume, volume({})));
    const path = `${PATHS.PersistentVolume}/${ACME}--mine`;
    const patch = (spec: JsonObject) => send('PATCH', path, { spec }, 'application/merge-patch+json');
    expectRefused(await patch({ storageClassName: null }), /is of a class named/);
    expectDone(await patch({ storageClassName: `${ACME}--slow` }));
    expect((await send('DELETE', path, {})).status).toBe(200);
  });
});
