/**
 * The walls around names: whose a namespace or a cluster-scoped object is, on the live API server. Every refusal has a twin
 * that passes.
 * @see deploy/50-wall-namespaces.yaml, deploy/51-wall-cluster-scoped.yaml
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  ACME,
  DRY,
  expectDone,
  expectRefused,
  GLOBEX,
  MERGE,
  NAMESPACES,
  prepareWalls,
  type Walls,
} from '../support/walls.ts';

const VIRTUAL_ROLES = '/apis/virtual.kubeveil.dev/v1/clusterroles';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let walls: Walls;

beforeAll(async () => {
  walls = await prepareWalls(inject('controlPlane'));
});

afterAll(() => walls[Symbol.asyncDispose]());

describe('namespaces', () => {
  const web = `${ACME}--web`;
  const named = (name: string, tenant?: string, tenantUid = 'a-uid', more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      ...(tenant && { labels: { 'kubeveil.dev/tenant': tenant, ...more } }),
      ...(tenantUid && tenant && { annotations: { 'kubeveil.dev/tenant-uid': tenantUid } }),
    },
  });
  const patchDefault = (metadata: object) => [`${NAMESPACES}/${ACME}--default${DRY}`, { metadata }, MERGE] as const;

  it('of tenants are made by the provisioner', async () => {
    expectDone(await walls.provision('POST', NAMESPACES + DRY, named(web, ACME)));
    expectRefused(await walls.admin('POST', NAMESPACES + DRY, named(web, ACME)), /only kubeveil-provisioner/);
  });
  it('of the host are not', async () => {
    expectDone(await walls.admin('POST', NAMESPACES + DRY, named('web')));
    expectRefused(await walls.provision('POST', NAMESPACES + DRY, named('web')), /of tenants only/);
  });
  it.each([
    ['another tenant in the label', named(web, GLOBEX)],
    ['no label', named(web)],
    ['a label without the prefix', named('web', ACME)],
  ])('are refused with %s', async (_what, namespace) => {
    expectRefused(await walls.provision('POST', NAMESPACES + DRY, namespace), /must come together/);
  });
  it('are refused without the uid they are made for', async () => {
    expectRefused(await walls.provision('POST', NAMESPACES + DRY, named(web, ACME, '')), /tenant's uid/);
  });
  it('that only look alike are the host’s', async () => {
    for (const name of ['a--b', '1st--floor', 'name-with--']) {
      const answer = await walls.admin('POST', NAMESPACES + DRY, named(name));
      expect(answer.body.message ?? '').not.toMatch(/kubeveil/);
    }
  });

  it('keep their label, whoever writes', async () => {
    expectDone(await walls.provision('PATCH', ...patchDefault({ labels: { team: 'a' } })));
    for (const labels of [{ 'kubeveil.dev/tenant': GLOBEX }, { 'kubeveil.dev/tenant': null }, null]) {
      expectRefused(await walls.provision('PATCH', ...patchDefault({ labels })), /never change/);
      expectRefused(await walls.admin('PATCH', ...patchDefault({ labels })), /never change/);
    }
    const remove = [{ op: 'remove', path: '/metadata/labels' }];
    const path = `${NAMESPACES}/${ACME}--default${DRY}`;
    expectRefused(await walls.provision('PATCH', path, remove, 'application/json-patch+json'), /never change/);
    const replace = { metadata: { labels: { $patch: 'replace', team: 'a' } } };
    expectRefused(
      await walls.provision('PATCH', path, replace, 'application/strategic-merge-patch+json'),
      /never change/,
    );
  });
  it('keep the uid they are made for', async () => {
    expectRefused(await walls.provision('PATCH', ...patchDefault({ annotations: null })), /never change/);
  });
  it('get labels of the proxy from the provisioner only', async () => {
    expectDone(await walls.admin('PATCH', ...patchDefault({ annotations: { 'example.com/owner': 'a' } })));
    expectRefused(
      await walls.admin('PATCH', ...patchDefault({ annotations: { 'kubeveil.dev/x': 'a' } })),
      /below kubeveil/,
    );
  });
  it.each([
    ['labels', 'resource.kubernetes.io/admin-access'],
    ['annotations', 'scheduler.alpha.kubernetes.io/node-selector'],
    ['annotations', 'scheduler.alpha.kubernetes.io/defaultTolerations'],
  ])('get none of the %s that the host acts on: %s', async (field, key) => {
    expectRefused(await walls.provision('PATCH', ...patchDefault({ [field]: { [key]: 'true' } })), /the host acts on/);
    expectDone(await walls.provision('PATCH', ...patchDefault({ [field]: { 'example.com/key': 'true' } })));
  });
  it('cannot be finalised while anything is in them', async () => {
    const path = `${NAMESPACES}/${ACME}--default`;
    const { body } = await walls.admin('GET', path);
    const with_ = (finalizers: string[]) => ({ ...body, spec: { finalizers } });
    expectDone(await walls.provision('PUT', `${path}/finalize${DRY}`, with_(['kubernetes', 'example.com/more'])));
    expectRefused(await walls.provision('PUT', `${path}/finalize${DRY}`, with_([])), /finalizer "kubernetes"/);
  });
});

describe('cluster-scoped objects', () => {
  const role = (name: string, tenant?: string, more: object = {}) => ({
    apiVersion: 'virtual.kubeveil.dev/v1',
    kind: 'ClusterRole',
    metadata: { name, ...(tenant && { labels: { 'kubeveil.dev/tenant': tenant } }), ...more },
    rules: [],
  });
  const NAMES = { plural: 'foos', singular: `${ACME}--foo`, kind: 'Foo' };
  const definition = (group: string, spec: object = {}) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `foos.${group}`, labels: { 'kubeveil.dev/tenant': ACME } },
    spec: {
      group,
      scope: 'Namespaced',
      names: NAMES,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      ...spec,
    },
  });

  beforeAll(async () => {
    for (const [name, tenant] of [
      [`${ACME}--stored`, ACME],
      [`${GLOBEX}--stored`, GLOBEX],
    ] as const) {
      expectDone(await walls.admin('POST', VIRTUAL_ROLES, role(name, tenant)));
    }
  });

  it('of a tenant carry its prefix and its label', async () => {
    expectDone(await walls.acme('POST', VIRTUAL_ROLES + DRY, { body: role(`${ACME}--reader`, ACME) }));
  });
  it.each([
    ['the prefix of another', role(`${GLOBEX}--reader`, ACME), /must begin with/],
    ['prefix and label of another', role(`${GLOBEX}--reader`, GLOBEX), /must begin with/],
    ['no prefix', role('reader', ACME), /must begin with/],
    ['the label of another', role(`${ACME}--reader`, GLOBEX), /must carry the label/],
    ['no label', role(`${ACME}--reader`), /must carry the label/],
    ['a finalizer of the proxy', role(`${ACME}--reader`, ACME, { finalizers: ['kubeveil.dev/x'] }), /below kubeveil/],
  ])('are refused with %s', async (_what, body, saying) => {
    expectRefused(await walls.acme('POST', VIRTUAL_ROLES + DRY, { body }), saying);
  });
  it('keep their label', async () => {
    const patch = (labels: object | null) =>
      walls.acme('PATCH', `${VIRTUAL_ROLES}/${ACME}--stored${DRY}`, {
        body: { metadata: { labels } },
        contentType: MERGE,
      });
    expectDone(await patch({ team: 'a' }));
    expectRefused(await patch(null), /must carry the label/);
    expectRefused(await patch({ 'kubeveil.dev/tenant': GLOBEX }), /must carry the label/);
    expectRefused(await patch({ 'kubeveil.dev/other': 'x' }), /below kubeveil/);
  });
  it('of another tenant can be neither changed nor deleted', async () => {
    const body = { metadata: { labels: { team: 'a' } } };
    const path = `${VIRTUAL_ROLES}/${GLOBEX}--stored${DRY}`;
    expectRefused(await walls.acme('PATCH', path, { body, contentType: MERGE }), /must begin with/);
    expectRefused(await walls.acme('DELETE', path), /must begin with/);
    expectDone(await walls.acme('DELETE', `${VIRTUAL_ROLES}/${ACME}--stored${DRY}`));
  });

  it('that define kinds are of a group of the tenant', async () => {
    expectDone(await walls.acme('POST', CRDS + DRY, { body: definition(`${ACME}--example.com`) }));
    for (const group of [`${GLOBEX}--example.com`, 'example.com', 'kubeveil.dev']) {
      expectRefused(await walls.acme('POST', CRDS + DRY, { body: definition(group) }), /must be of a group/);
    }
  });
  it('that define kinds take no word of the host’s operator', async () => {
    const create = (names: object, plural = 'foos') => {
      const body = definition(`${ACME}--example.com`, { names: { ...NAMES, plural, ...names } });
      const metadata = { ...body.metadata, name: `${plural}.${ACME}--example.com` };
      return walls.acme('POST', CRDS + DRY, { body: { ...body, metadata } });
    };
    expectDone(await create({ shortNames: [`${ACME}--fo`], categories: [`${ACME}--all`] }));
    for (const names of [
      { shortNames: [`${ACME}--fo`, 'po'] },
      { categories: ['all'] },
      { singular: 'pod' },
      // Becomes `foo`.
      { singular: undefined },
      { shortNames: [`${GLOBEX}--fo`] },
      { kind: 'Tenant' },
    ]) {
      expectRefused(await create(names), /must begin with <tenant>--, and its plural and kind/);
    }
    expectRefused(await create({}, 'tenants'), /must begin with <tenant>--, and its plural and kind/);
  });
  it('that define kinds have no conversion webhook', async () => {
    const conversion = {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/' } },
    };
    const body = definition(`${ACME}--example.com`, { conversion });
    expectRefused(await walls.acme('POST', CRDS + DRY, { body }), /no conversion webhook/);
  });
});
