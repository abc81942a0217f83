/**
 * The walls around what an object may say: who owns it, which volume a claim gets, and what would pass for a list; on the
 * live API server. Every refusal has a twin that passes.
 * @see deploy/56-wall-owners.yaml, deploy/57-wall-claims.yaml, deploy/51-wall-cluster-scoped.yaml
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readManifests } from '../../src/controllers/walls/manifests.ts';
import { child, objects, text } from '../../src/k8s/read.ts';
import { KINDS } from '../../src/kinds/table.ts';
import { eventually } from '../support/processes.ts';
import {
  ACME,
  configMap,
  DRY,
  expectDone,
  expectRefused,
  GLOBEX,
  MERGE,
  prepareWalls,
  type Walls,
} from '../support/walls.ts';

const NAMESPACE = `/api/v1/namespaces/${ACME}--default`;
const MAPS = `${NAMESPACE}/configmaps`;
const CLAIMS = `${NAMESPACE}/persistentvolumeclaims`;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = `${ACME}--walls.example.com`;
const THINGS = `/apis/${GROUP}/v1/namespaces/${ACME}--default/things`;

let walls: Walls;
beforeAll(async () => {
  walls = await prepareWalls(inject('controlPlane'));
});
afterAll(() => walls[Symbol.asyncDispose]());

function definition(items: object): object {
  const schema = { openAPIV3Schema: { type: 'object', properties: { items } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${GROUP}`, labels: { 'kubeveil.dev/tenant': ACME } },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'things', singular: `${ACME}--thing`, kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
const ANYTHING = { 'x-kubernetes-preserve-unknown-fields': true };

describe('owners', () => {
  const uid = '68ad5d3e-3d4b-4a6e-9d2b-2f9c2b8f8a11';
  const owner = (apiVersion: string, kind: string, more: object = {}) => ({
    apiVersion,
    kind,
    name: 'x',
    uid,
    ...more,
  });
  const create = (...ownerReferences: object[]) =>
    walls.acme('POST', MAPS + DRY, { body: configMap('owned', { ownerReferences }) });

  it.each([
    owner('v1', 'Pod', { blockOwnerDeletion: true }),
    owner('v1', 'Namespace'),
    owner('apps/v1', 'ReplicaSet'),
    owner('networking.k8s.io/v1', 'Ingress'),
    owner('virtual.kubeveil.dev/v1', 'ClusterRole'),
    owner(`${ACME}--example.com/v1`, 'Node'),
    owner('storage.k8s.io/v1', 'StorageClass', { name: `${ACME}--fast` }),
  ])('of the tenant pass: %j', async (own) => {
    expectDone(await create(own));
  });

  it.each([
    owner('v1', 'Node', { blockOwnerDeletion: true }),
    owner('v1', 'Node'),
    owner('storage.k8s.io/v1', 'StorageClass'),
    owner('rbac.authorization.k8s.io/v1', 'ClusterRole'),
    owner('kubeveil.dev/v1alpha1', 'Tenant'),
    owner('cert-manager.io/v1', 'ClusterIssuer'),
    owner(`${GLOBEX}--example.com/v1`, 'Thing'),
  ])('of the host and of others are refused: %j', async (foreign) => {
    expectRefused(await create(owner('v1', 'Pod'), foreign), /not an owner/);
  });

  it('are refused by the uid of the Tenant', async () => {
    expectRefused(await create(owner('v1', 'Pod', { uid: walls.uid })), /not an owner/);
  });

  it('that the host wrote stay, and take no other', async () => {
    const path = `${MAPS}/kept`;
    const [name] = inject('controlPlane').nodes;
    const { metadata } = (await walls.admin('GET', `/api/v1/nodes/${name}`)).body as { metadata: { uid: string } };
    const node = owner('v1', 'Node', { name, uid: metadata.uid });
    expectDone(await walls.admin('POST', MAPS, configMap('kept', { ownerReferences: [node] })));
    const patch = (metadata: object) => walls.acme('PATCH', path + DRY, { body: { metadata }, contentType: MERGE });
    expectDone(await patch({ labels: { a: 'b' } }));
    expectDone(await patch({ ownerReferences: [] }));
    expectRefused(await patch({ ownerReferences: [{ ...node, blockOwnerDeletion: true }] }), /not an owner/);
    expectDone(await walls.admin('DELETE', path));
  });

  it('are refused on cluster-scoped objects as well', async () => {
    const role = (ownerReferences: object[]) => ({
      apiVersion: 'virtual.kubeveil.dev/v1',
      kind: 'ClusterRole',
      metadata: { name: `${ACME}--owned`, labels: { 'kubeveil.dev/tenant': ACME }, ownerReferences },
      rules: [],
    });
    const path = `/apis/virtual.kubeveil.dev/v1/clusterroles${DRY}`;
    expectDone(await walls.acme('POST', path, { body: role([owner('v1', 'Namespace')]) }));
    expectRefused(await walls.acme('POST', path, { body: role([owner('v1', 'Node')]) }), /not an owner/);
  });

  it.each([
    ['hostKinds', ['published', 'virtual', 'absent']],
    ['mixedKinds', ['mixed']],
  ])('of the host are all that the table of kinds knows: %s', (variableName, has) => {
    const policy = readManifests().find(({ path }) => path.endsWith('validatingadmissionpolicies/kubeveil-owners'));
    const variable = objects(child(policy?.object, 'spec'), 'variables').find(({ name }) => name === variableName);
    const listed = text(variable, 'expression');
    const wanted = KINDS.filter(({ namespaced, classes }) => !namespaced && has.includes(classes.trusted));
    expect(JSON.parse(listed.replaceAll("'", '"'))).toEqual(wanted.map(({ kind }) => kind).sort());
  });
});

describe('claims', () => {
  const claim = (name: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
  });
  const named = { volumeName: 'kept-for-somebody' };
  const REFUSAL = /spec\.volumeName is set when the claim is bound/;

  beforeAll(async () => {
    expectDone(await walls.acme('POST', CLAIMS, { body: claim('plain', { storageClassName: 'none-such' }) }));
  });

  it('name no volume when a tenant makes them', async () => {
    expectDone(await walls.acme('POST', CLAIMS + DRY, { body: claim('a') }));
    expectRefused(await walls.acme('POST', CLAIMS + DRY, { body: claim('a', named) }), REFUSAL);
  });

  it('name a volume of the tenant’s own', async () => {
    const own = { volumeName: `${ACME}--mine` };
    expectDone(await walls.acme('POST', CLAIMS + DRY, { body: claim('a', own) }));
    const others = { volumeName: `${GLOBEX}--theirs` };
    expectRefused(await walls.acme('POST', CLAIMS + DRY, { body: claim('a', others) }), REFUSAL);
  });

  it('name no volume when a tenant changes them, and are bound by the host', async () => {
    const path = `${CLAIMS}/plain${DRY}`;
    const patch = (body: object) => walls.acme('PATCH', path, { body, contentType: MERGE });
    expectDone(await patch({ metadata: { labels: { a: 'b' } } }));
    expectRefused(await patch({ spec: named }), REFUSAL);
    expectDone(await walls.admin('PATCH', path, { spec: named }, MERGE));
  });

  it('name no volume when a controller makes them from a template', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const set = (name: string, more: object) => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name },
      spec: {
        serviceName: name,
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: 'a', image: 'a', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
        },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { ...spec, ...more } }],
      },
    });
    const sets = `/apis/apps/v1/namespaces/${ACME}--default/statefulsets`;
    for (const [name, more] of [
      ['plain', { storageClassName: 'none-such' }],
      ['named', named],
    ] as const) {
      expectDone(await walls.acme('POST', sets, { body: set(name, more) }));
    }
    await eventually('the claim without a volume is made', async () => {
      return (await walls.admin('GET', `${CLAIMS}/data-plain-0`)).status === 200;
    });
    await eventually('the one with a volume is refused', async () => {
      const { body } = await walls.admin('GET', `${NAMESPACE}/events`);
      const { items } = body as unknown as { items: { message?: string }[] };
      return items.some(({ message = '' }) => message.includes('data-named-0') && REFUSAL.test(message));
    });
    expect((await walls.admin('GET', `${CLAIMS}/data-named-0`)).status).toBe(404);
    for (const name of ['plain', 'named']) expectDone(await walls.acme('DELETE', `${sets}/${name}`));
  });
});

describe('what would pass for a list', () => {
  beforeAll(async () => {
    expectDone(await walls.acme('POST', CRDS, { body: definition(ANYTHING) }));
  });
  afterAll(async () => void (await walls.acme('DELETE', `${CRDS}/things.${GROUP}`)));

  it('is no kind', async () => {
    const create = (items: object) => {
      const body = JSON.parse(JSON.stringify(definition(items)).replaceAll(GROUP, `${ACME}--more.example.com`));
      return walls.acme('POST', CRDS + DRY, { body });
    };
    expectDone(await create({ type: 'array', items: { type: 'string' } }));
    expectRefused(await create({ type: 'array', items: { type: 'string' }, default: [] }), /fill in an array/);
  });

  it('is no object', async () => {
    const thing = (items: unknown) => ({
      apiVersion: `${GROUP}/v1`,
      kind: 'Thing',
      metadata: { name: 'thing' },
      ...(items === undefined ? {} : { items }),
    });
    const create = (items: unknown) => walls.acme('POST', THINGS + DRY, { body: thing(items) });
    await eventually('the kind is served', async () => (await create(undefined)).status === 201);
    expectDone(await create({ a: 'b' }));
    expectRefused(await create(['a']), /is taken for a list/);
    expectDone(await walls.acme('POST', THINGS, { body: thing(undefined) }));
    const patch = (items: unknown) => walls.acme('PATCH', `${THINGS}/thing`, { body: { items }, contentType: MERGE });
    expectRefused(await patch([]), /is taken for a list/);
    expectDone(await patch({ a: [] }));
  });
});
