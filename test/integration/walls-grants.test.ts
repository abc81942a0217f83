/**
 * The walls around what gives rights: bindings, credentials, and what the provisioner writes, on the live API server. Every
 * refusal has a twin that passes.
 * @see deploy/52-wall-namespaced.yaml to deploy/55-wall-provisioner.yaml
 */
import { webcrypto } from 'node:crypto';
import '../../src/lib/reflect-polyfill.ts';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { impersonate, tokenClient } from '../support/token-client.ts';
import {
  ACME,
  configMap,
  DRY,
  expectDone,
  expectRefused,
  GLOBEX,
  MERGE,
  NAMESPACES,
  prepareWalls,
  RBAC,
  type Walls,
} from '../support/walls.ts';

/** A PKCS #10 request for alice, as `spec.request` wants it. */
async function certificateRequest(): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=alice',
    keys,
    signingAlgorithm: algorithm,
  });
  return Buffer.from(request.toString('pem')).toString('base64');
}

let walls: Walls;

beforeAll(async () => {
  walls = await prepareWalls(inject('controlPlane'));
});

afterAll(() => walls[Symbol.asyncDispose]());

describe('objects in a tenant’s namespace', () => {
  const maps = `${NAMESPACES}/${ACME}--default/configmaps`;
  const bindings = `/apis/${RBAC}/v1/namespaces/${ACME}--default/rolebindings`;
  const binding = (name: string, subjects: object[], role = 'view') => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects,
  });
  const user = (name: string) => ({ kind: 'User', apiGroup: RBAC, name });

  it.each([
    ['labels', { 'kubeveil.dev/tenant': ACME }],
    ['finalizers', ['kubeveil.dev/guard']],
  ])('carry no %s of the proxy', async (field, value) => {
    const plain = field === 'labels' ? { 'example.com/x': 'y' } : ['example.com/x'];
    expectDone(await walls.acme('POST', maps + DRY, { body: configMap('x', { [field]: plain }) }));
    expectRefused(await walls.acme('POST', maps + DRY, { body: configMap('x', { [field]: value }) }), /below kubeveil/);
  });

  it('bind inert subjects only', async () => {
    const inert = binding('x', [user(`kubeveil.inert/${ACME}/User/alice`)]);
    expectDone(await walls.acme('POST', bindings + DRY, { body: inert }));
    const subjects = [
      user(`kubeveil:${ACME}`),
      user(`kubeveil.inert/${GLOBEX}/User/alice`),
      { kind: 'Group', apiGroup: RBAC, name: 'system:authenticated' },
      { kind: 'Group', apiGroup: RBAC, name: `kubeveil.inert/${ACME}/Group/x` },
      { kind: 'ServiceAccount', name: 'default', namespace: `${ACME}--default` },
    ];
    for (const subject of subjects) {
      const mixed = binding('x', [user(`kubeveil.inert/${ACME}/User/alice`), subject], 'cluster-admin');
      expectRefused(await walls.acme('POST', bindings + DRY, { body: mixed }), /must be inert/);
      expectRefused(await walls.admin('POST', bindings + DRY, mixed), /must be inert/);
    }
  });

  it('do not touch the guard', async () => {
    const guard = `${bindings}/kubeveil:guard${DRY}`;
    const body = { metadata: { labels: { x: 'y' } } };
    expectRefused(await walls.acme('PATCH', guard, { body, contentType: MERGE }), /guards of a namespace/);
    expectRefused(await walls.acme('DELETE', guard), /guards of a namespace/);
    expectRefused(await walls.acme('DELETE', bindings + DRY), /guards of a namespace/);
    const named = binding('kubeveil:more', [user(`kubeveil.inert/${ACME}/User/alice`)]);
    expectRefused(await walls.acme('POST', bindings + DRY, { body: named }), /kept for guards/);
    const others = `${bindings}${DRY}&fieldSelector=metadata.name%21%3Dkubeveil:guard`;
    expectDone(await walls.acme('DELETE', others));
  });

  it('stay in its namespaces, even where somebody bound all tenants too widely', async () => {
    const wide = `/apis/${RBAC}/v1/namespaces/default/rolebindings`;
    const subjects = [{ kind: 'Group', apiGroup: RBAC, name: 'kubeveil:tenants' }];
    expectDone(await walls.admin('POST', wide, binding('too-wide', subjects, 'kubeveil:guard')));
    try {
      await expect.poll(() => walls.acme('GET', `${NAMESPACES}/default/configmaps`).then((a) => a.status)).toBe(200);
      const answer = await walls.acme('POST', `${NAMESPACES}/default/configmaps${DRY}`, { body: configMap() });
      expectRefused(answer, /namespaces named <tenant>--<name> only/);
      expectDone(await walls.acme('POST', maps + DRY, { body: configMap() }));
    } finally {
      await walls.admin('DELETE', `${wide}/too-wide`);
    }
  });
});

describe('credentials', () => {
  const secrets = `${NAMESPACES}/${ACME}--default/secrets`;
  const token = (audiences?: string[]) => ({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 600, ...(audiences && { audiences }) },
  });
  const tokens = `${NAMESPACES}/${ACME}--default/serviceaccounts/default/token`;

  it('of its service accounts are for its own audience', async () => {
    const made = await walls.acme('POST', tokens, { body: token([`kubeveil.dev/${walls.uid}`]) });
    expectDone(made);
    using stolen = tokenClient(walls.host, (made.body['status'] as { token: string }).token);
    expect((await stolen.send('GET', '/api')).status).toBe(401);
  });
  it('of its service accounts may be for any below it', async () => {
    const made = await walls.acme('POST', tokens, { body: token([`kubeveil.dev/${walls.uid}/vault`]) });
    expectDone(made);
    using stolen = tokenClient(walls.host, (made.body['status'] as { token: string }).token);
    expect((await stolen.send('GET', '/api')).status).toBe(401);
  });
  it.each([
    ['none', undefined],
    ['the host', ['https://kubernetes.default.svc']],
    ['another tenant', ['kubeveil.dev/00000000-0000-0000-0000-000000000000']],
    ['anything else', ['vault']],
    ['what begins alike', ['own-and-more', 'own']],
    ['its own and the host', ['own', 'https://kubernetes.default.svc']],
  ])('are for no other: %s', async (_what, audiences) => {
    const wanted = audiences?.map((audience) => audience.replace(/^own/, `kubeveil.dev/${walls.uid}`));
    expectRefused(await walls.acme('POST', tokens, { body: token(wanted) }), /for the audience/);
    expectRefused(await walls.admin('POST', tokens, token(wanted)), /for the audience/);
  });
  it('are not filled into Secrets', async () => {
    const secret = (type: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'x', annotations: { 'kubernetes.io/service-account.name': 'default' } },
      type,
    });
    expectDone(await walls.acme('POST', secrets + DRY, { body: secret('Opaque') }));
    const filled = secret('kubernetes.io/service-account-token');
    expectRefused(await walls.acme('POST', secrets + DRY, { body: filled }), /token for the host/);
    expectRefused(await walls.admin('POST', secrets + DRY, filled), /token for the host/);
  });
});

describe('certificate requests, should somebody let tenants make them', () => {
  const CLUSTER_ADMIN = 'wall-test';
  const accounts = `${NAMESPACES}/default/serviceaccounts`;
  const bindings = `/apis/${RBAC}/v1/clusterrolebindings`;
  const everything = (subject: object) => ({
    metadata: { name: CLUSTER_ADMIN },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: CLUSTER_ADMIN, namespace: 'default' }, subject],
  });
  let token: string;

  beforeAll(async () => {
    expectDone(await walls.admin('POST', accounts, { metadata: { name: CLUSTER_ADMIN } }));
    const tenants = { kind: 'Group', apiGroup: RBAC, name: 'kubeveil:tenants' };
    expectDone(await walls.admin('POST', bindings, everything(tenants)));
    const made = await walls.admin('POST', `${accounts}/${CLUSTER_ADMIN}/token`, { spec: {} });
    token = (made.body['status'] as { token: string }).token;
  });
  afterAll(async () => {
    await walls.admin('DELETE', `${bindings}/${CLUSTER_ADMIN}`);
    await walls.admin('DELETE', `${accounts}/${CLUSTER_ADMIN}`);
  });

  it('name a signer of the tenant, never one of the host', async () => {
    using client = tokenClient(walls.host, token);
    const request = await certificateRequest();
    const ask = (signerName: string) =>
      client.send('POST', `/apis/certificates.k8s.io/v1/certificatesigningrequests${DRY}`, {
        headers: impersonate(`kubeveil:${ACME}`, 'kubeveil:tenants', `kubeveil:tenant:${ACME}`),
        body: {
          metadata: { name: `${ACME}--request`, labels: { 'kubeveil.dev/tenant': ACME } },
          spec: { signerName, request, usages: ['client auth'] },
        },
      });
    await expect.poll(async () => (await ask(`${ACME}.kubeveil.dev/client`)).status).toBe(201);
    for (const signer of ['kubernetes.io/kube-apiserver-client', `${GLOBEX}.kubeveil.dev/client`, 'example.com/any']) {
      expectRefused(await ask(signer), /must name its own signer/);
    }
  });
});

describe('the provisioner', () => {
  const roles = `/apis/${RBAC}/v1/clusterroles`;
  const group = (name: string) => ({ kind: 'Group', apiGroup: RBAC, name });
  const clusterRole = (name: string, rules: object[]) => ({ metadata: { name }, rules });
  const granting = (name: string, role: string, subject: object) => ({
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [subject],
  });
  const ownGroup = { apiGroups: [`${ACME}--example.com`], resources: ['foos'], verbs: ['get'] };

  it('writes rights on a tenant’s own kinds', async () => {
    expectDone(await walls.provision('POST', roles + DRY, clusterRole(`kubeveil:custom:${ACME}`, [ownGroup])));
    for (const rule of [
      { ...ownGroup, apiGroups: [''] },
      { ...ownGroup, apiGroups: ['*'] },
      { ...ownGroup, apiGroups: [`${GLOBEX}--example.com`] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ]) {
      const role = clusterRole(`kubeveil:custom:${ACME}`, [ownGroup, rule]);
      expectRefused(await walls.provision('POST', roles + DRY, role), /API groups of that tenant only/);
    }
  });
  it('writes no other ClusterRole', async () => {
    expectRefused(await walls.provision('POST', roles + DRY, clusterRole('mine', [ownGroup])), /and kubeveil:custom/);
    const body = { rules: [] };
    expectRefused(await walls.provision('PATCH', `${roles}/kubeveil:guard${DRY}`, body, MERGE), /and kubeveil:custom/);
    expectRefused(await walls.provision('DELETE', `${roles}/cluster-admin${DRY}`), /and kubeveil:custom/);
  });
  it('writes what pods are told, and no rules beside it', async () => {
    const settings = `${roles}/kubeveil:pods${DRY}`;
    const metadata = { annotations: { 'kubeveil.dev/service-host': '192.0.2.1' } };
    expectDone(await walls.provision('PATCH', settings, { metadata }, MERGE));
    const refused = await walls.provision('PATCH', settings, { rules: [ownGroup] }, MERGE);
    expectRefused(refused, /holds settings and no rules/);
  });
  it('lists whom to impersonate, by name', async () => {
    const list = (resource: string, names: string[], verb = 'impersonate:user-info') =>
      walls.provision(
        'PATCH',
        `${roles}/kubeveil:impersonation${DRY}`,
        {
          rules: [{ apiGroups: ['authentication.k8s.io'], resources: [resource], resourceNames: names, verbs: [verb] }],
        },
        MERGE,
      );
    expectDone(await list('users', ['kubeveil:acme']));
    for (const [resource, names, verb] of [
      ['users', ['admin']],
      ['groups', ['system:masters']],
      ['users', []],
      ['serviceaccounts', ['kubeveil:acme']],
      ['users', ['kubeveil:acme'], 'impersonate'],
    ] as const) {
      expectRefused(await list(resource, [...names], verb), /lists users and groups/);
    }
  });
  it('lists them by the legacy right no wider', async () => {
    const list = (rule: object) => {
      const rules = [{ apiGroups: [''], verbs: ['impersonate'], ...rule }];
      return walls.provision('PATCH', `${roles}/kubeveil:impersonation${DRY}`, { rules }, MERGE);
    };
    const acme = { resources: ['users'], resourceNames: ['kubeveil:acme'] };
    const extras = { apiGroups: ['authentication.k8s.io'], resources: ['userextras/kubeveil.dev/user'] };
    for (const right of [acme, { ...acme, resources: ['groups'] }, extras]) expectDone(await list(right));
    for (const wrong of [
      { ...acme, resourceNames: ['kubeveil:acme', 'admin'] },
      { ...acme, resourceNames: [] },
      { resources: ['users'] },
      { ...acme, resources: ['groups'], resourceNames: ['system:masters'] },
      { ...acme, resources: ['serviceaccounts'] },
      { ...acme, resources: ['*'] },
      { ...acme, verbs: ['*'] },
      { ...acme, verbs: ['impersonate', 'get'] },
      { ...acme, apiGroups: ['', 'apps'] },
      { ...extras, resources: ['userextras/scopes'] },
      { ...extras, resources: ['uids'] },
      { ...extras, resources: ['userextras/kubeveil.dev/user', 'userextras/*'] },
      { ...extras, apiGroups: ['*'] },
    ]) {
      expectRefused(await list(wrong), /lists users and groups/);
    }
  });
  it('binds nothing to anybody but a tenant', async () => {
    const path = `/apis/${RBAC}/v1/clusterrolebindings${DRY}`;
    const name = `kubeveil:custom:${ACME}`;
    expectDone(await walls.provision('POST', path, granting(name, name, group(`kubeveil:tenant:${ACME}`))));
    for (const wrong of [
      granting('mine', 'cluster-admin', group(`kubeveil:tenant:${ACME}`)),
      granting(name, 'cluster-admin', group(`kubeveil:tenant:${ACME}`)),
      granting(name, name, group(`kubeveil:tenant:${GLOBEX}`)),
      granting(name, name, { kind: 'User', apiGroup: RBAC, name: `kubeveil:tenant:${ACME}` }),
    ]) {
      expectRefused(await walls.provision('POST', path, wrong), /binds kubeveil:custom/);
    }
  });
  it('guards namespaces of tenants, for that tenant', async () => {
    const at = (namespace: string) => `/apis/${RBAC}/v1/namespaces/${namespace}/rolebindings${DRY}`;
    const name = 'kubeveil:custom';
    const role = `kubeveil:custom:${ACME}`;
    expectDone(
      await walls.provision('POST', at(`${ACME}--default`), granting(name, role, group(`kubeveil:tenant:${ACME}`))),
    );
    for (const [namespace, wrong] of [
      ['default', granting('kubeveil:guard', 'kubeveil:guard', group(`kubeveil:tenant:${ACME}`))],
      [`${GLOBEX}--default`, granting(name, role, group(`kubeveil:tenant:${ACME}`))],
      [`${ACME}--default`, granting(name, 'cluster-admin', group(`kubeveil:tenant:${ACME}`))],
      [`${ACME}--default`, granting(name, role, group('system:authenticated'))],
      [`${ACME}--default`, granting('mine', role, group(`kubeveil:tenant:${ACME}`))],
    ] as const) {
      expectRefused(await walls.provision('POST', at(namespace), wrong), /kubeveil:guard and kubeveil:custom/);
    }
  });
  it('makes no service account but `default` in a tenant’s namespace', async () => {
    const account = (name: string) => ({ metadata: { name } });
    const at = (namespace: string) => `${NAMESPACES}/${namespace}/serviceaccounts${DRY}`;
    expect((await walls.provision('POST', at(`${ACME}--default`), account('default'))).body.reason).toBe(
      'AlreadyExists',
    );
    expectRefused(await walls.provision('POST', at(`${ACME}--default`), account('other')), /and no other/);
    expectRefused(await walls.provision('POST', at('kube-system'), account('default')), /and no other/);
  });

  it('writes no Secret that would be filled with a token', async () => {
    const path = `${NAMESPACES}/kubeveil-system/secrets${DRY}`;
    const secret = (type: string) => ({
      metadata: { name: 'x', annotations: { 'kubernetes.io/service-account.name': 'kubeveil-datapath' } },
      type,
    });
    expectDone(await walls.provision('POST', path, secret('Opaque')));
    const filled = secret('kubernetes.io/service-account-token');
    expectRefused(await walls.provision('POST', path, filled), /Opaque and kubernetes.io\/tls only/);
  });
});
