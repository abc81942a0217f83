/**
 * Which classes of the host an object of a tenant may choose, held by the host: for the tenant, for whoever goes past the
 * proxy, and for what controllers make. Every refusal has a twin that passes.
 * @see deploy/68-policy-classes.yaml
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { child, objects, text } from '../../src/k8s/read.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import {
  type PolicyTenants,
  pod,
  preparePolicyTenants,
  upstreamNamespace,
  writers,
} from '../support/policy-tenants.ts';
import { eventually } from '../support/processes.ts';
import { DRY, expectDone, expectRefused, MERGE } from '../support/walls.ts';

const SHARED = `
shared:
  storageClasses: [cls-a]
  volumeAttributesClasses: [cls-a]
  ingressClasses: [cls-a]
  priorityClasses: [cls-a]
  runtimeClasses: [cls-a]
  deviceClasses: [cls-a]
ingresses: {hosts: all, annotations: all}
`;
const ALL = `${SHARED.replaceAll('[cls-a]', 'all')}`;
const CLASSES: ReadonlyArray<readonly [path: string, object: JsonObject]> = [
  ['/apis/storage.k8s.io/v1/storageclasses', { provisioner: 'example.com/none' }],
  ['/apis/storage.k8s.io/v1/volumeattributesclasses', { driverName: 'example.com', parameters: { a: 'b' } }],
  ['/apis/networking.k8s.io/v1/ingressclasses', { spec: { controller: 'example.com/none' } }],
  ['/apis/scheduling.k8s.io/v1/priorityclasses', { value: 7 }],
  ['/apis/node.k8s.io/v1/runtimeclasses', { handler: 'none' }],
  ['/apis/resource.k8s.io/v1/deviceclasses', { spec: {} }],
];
/** Named, of another tenant, and of the tenant `cls-list` itself. */
const NAMES = ['cls-a', 'cls-b', 'cls-other--gold', 'cls-list--gold'];
const NO_CLASS = /the policy of this cluster does not share the \w+Class that this chooses/;

let tenants: PolicyTenants;

beforeAll(async () => {
  tenants = await preparePolicyTenants(inject('controlPlane'), {
    default: 'ingresses: {hosts: all, annotations: all}',
    list: SHARED,
    all: ALL,
  });
  await Promise.all([
    tenants.make('cls-none', 'default'),
    tenants.make('cls-list', 'list'),
    tenants.make('cls-all', 'all'),
  ]);
  for (const [path, object] of CLASSES) {
    for (const name of NAMES) {
      const [owner, rest] = name.split('--');
      const labels = rest === undefined ? {} : { 'kubeveil.dev/tenant': owner as string };
      expectDone(await tenants.admin('POST', path, { metadata: { name, labels }, ...object }));
    }
  }
  // The host takes up new classes a moment after they are stored; the last one says that all are there.
  await eventually('the classes are known', async () => {
    const answers = await Promise.all(
      CHOICES.map(([, , choose]) => tenants.admin('POST', ...choose('cls-list', 'cls-other--gold'))),
    );
    return answers.every(({ status }) => status === 403);
  });
});
afterAll(async () => {
  for (const [path] of CLASSES) for (const name of NAMES) await tenants.admin('DELETE', `${path}/${name}`);
  await tenants[Symbol.asyncDispose]();
});

type Choose = (tenant: string, name: string) => [path: string, object: JsonObject];
const claim = (spec: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'cls', annotations },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const ingress = (spec: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  metadata: { name: 'cls', annotations },
  spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } }, ...spec },
});
const device = (name: string) => ({ devices: { requests: [{ name: 'a', exactly: { deviceClassName: name } }] } });
const devices = (name: string) => ({
  devices: { requests: [{ name: 'a', firstAvailable: [{ name: 'b', deviceClassName: name }] }] },
});
const at = (tenant: string, resource: string, group = ''): string => {
  const core = `${upstreamNamespace(tenant)}/${resource}${DRY}`;
  return group === '' ? core : core.replace('/api/v1', `/apis/${group}`);
};
const CHOICES: ReadonlyArray<readonly [what: string, kind: string, choose: Choose]> = [
  ['a claim', 'StorageClass', (to, name) => [at(to, 'persistentvolumeclaims'), claim({ storageClassName: name })]],
  [
    'a claim by its old annotation',
    'StorageClass',
    (to, name) => [at(to, 'persistentvolumeclaims'), claim({}, { 'volume.beta.kubernetes.io/storage-class': name })],
  ],
  [
    'the attributes of a claim',
    'VolumeAttributesClass',
    (to, name) => [at(to, 'persistentvolumeclaims'), claim({ storageClassName: '', volumeAttributesClassName: name })],
  ],
  [
    'an Ingress',
    'IngressClass',
    (to, name) => [at(to, 'ingresses', 'networking.k8s.io/v1'), ingress({ ingressClassName: name })],
  ],
  [
    'an Ingress by its old annotation',
    'IngressClass',
    (to, name) => [at(to, 'ingresses', 'networking.k8s.io/v1'), ingress({}, { 'kubernetes.io/ingress.class': name })],
  ],
  ['the priority of a pod', 'PriorityClass', (to, name) => [at(to, 'pods'), pod({ priorityClassName: name })]],
  ['the runtime of a pod', 'RuntimeClass', (to, name) => [at(to, 'pods'), pod({ runtimeClassName: name })]],
  [
    'a claim of a device',
    'DeviceClass',
    (to, name) => [at(to, 'resourceclaims', 'resource.k8s.io/v1'), { metadata: { name: 'cls' }, spec: device(name) }],
  ],
  [
    'a template of such claims',
    'DeviceClass',
    (to, name) => [
      at(to, 'resourceclaimtemplates', 'resource.k8s.io/v1'),
      { metadata: { name: 'cls' }, spec: { spec: devices(name) } },
    ],
  ],
];

describe.each(writers(() => tenants))('what %s chooses', (_who, ask) => {
  it.each(CHOICES)('for %s is a %s that the policy shares, or its own', async (_what, _kind, choose) => {
    const make = (tenant: string, name: string) => ask(tenant)('POST', ...choose(tenant, name));
    expectDone(await make('cls-list', 'cls-a'));
    expectRefused(await make('cls-list', 'cls-b'), NO_CLASS);
    expectRefused(await make('cls-list', 'cls-other--gold'), NO_CLASS);
    expectDone(await make('cls-list', 'cls-list--gold'));
    expectDone(await make('cls-all', 'cls-b'));
    expectRefused(await make('cls-all', 'cls-other--gold'), NO_CLASS);
    expectRefused(await make('cls-all', 'cls-list--gold'), NO_CLASS);
    expectRefused(await make('cls-none', 'cls-a'), NO_CLASS);
  });
});

it('is the host’s default where nobody chooses, whatever is shared', async () => {
  const [path] = CLASSES[0] as (typeof CLASSES)[number];
  const mark = (value: string | null) =>
    tenants.admin(
      'PATCH',
      `${path}/cls-b`,
      { metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': value } } },
      MERGE,
    );
  const make = () => tenants.as('cls-none')('POST', at('cls-none', 'persistentvolumeclaims'), claim({}));
  expectDone(await mark('true'));
  await eventually('the default is taken', async () => {
    const answer = await make();
    return answer.status === 201 && text(child(answer.body as JsonObject, 'spec'), 'storageClassName') === 'cls-b';
  });
  expectDone(await mark(null));
});

it('holds for what the host’s controllers make of a template', async () => {
  const sets = '/apis/apps/v1/namespaces/cls-list--default/replicasets';
  const set = (name: string, runtimeClassName: string) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: child(pod({ runtimeClassName }), 'spec') },
    },
  });
  expectDone(await tenants.admin('POST', sets, set('cls-no', 'cls-b')));
  expectDone(await tenants.admin('POST', sets, set('cls-yes', 'cls-a')));
  const statusOf = async (name: string) =>
    child((await tenants.admin('GET', `${sets}/${name}`)).body as JsonObject, 'status');
  await eventually('the pod of the shared class is made', async () => (await statusOf('cls-yes'))['replicas'] === 1);
  let said = '';
  await eventually('the other is refused', async () => {
    said = text(objects(await statusOf('cls-no'), 'conditions')[0], 'message');
    return said !== '';
  });
  expect(said).toMatch(NO_CLASS);
});
