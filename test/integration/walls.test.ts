/**
 * The second wall: what the host itself refuses, whatever the proxy does. Every refusal has a twin that passes. Requests
 * go as the accounts of `deploy/`, with their own tokens and through constrained impersonation, never as an administrator
 * who plays them. Here: who may be whom, what a tenant's name is worth, and whether the walls are seen to stand.
 * walls-names.test.ts and walls-grants.test.ts go through the admission policies one by one.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readManifests } from '../../src/controllers/walls/manifests.ts';
import { watchReadiness } from '../../src/controllers/walls/readiness.ts';
import { findMissingWalls } from '../../src/controllers/walls/walls.ts';
import { createHostClient } from '../../src/upstream/host-client.ts';
import { eventually } from '../support/processes.ts';
import { impersonate } from '../support/token-client.ts';
import {
  ACME,
  configMap,
  DRY,
  expectDone,
  expectRefused,
  MERGE,
  NAMESPACES,
  NOBODY_ELSE,
  NOT_THE_TENANTS,
  prepareWalls,
  type Walls,
} from '../support/walls.ts';

let walls: Walls;

beforeAll(async () => {
  walls = await prepareWalls(inject('controlPlane'));
});

afterAll(() => walls[Symbol.asyncDispose]());

describe('impersonation is constrained', () => {
  const own = `${NAMESPACES}/${ACME}--default/configmaps`;
  const as = (...who: Parameters<typeof impersonate>) =>
    walls.dataPath.send('GET', own, { headers: impersonate(...who) });

  it('lets the data path be a listed tenant', async () => {
    expectDone(await walls.acme('GET', own));
  });
  it('tells the host who really asks', async () => {
    const headers = { 'impersonate-extra-kubeveil.dev%2Fuser': 'alice' };
    expectDone(await walls.acme('GET', own, { headers }));
  });
  it.each(NOBODY_ELSE)('does not let it be %s', async (_who, user, groups) => {
    expectRefused(await as(user, ...groups), /cannot impersonate|not allowed/);
  });
  it('does not let it say anything else about the user', async () => {
    const headers = { 'impersonate-extra-scopes': 'all' };
    expectRefused(await walls.acme('GET', own, { headers }), /userextras/);
    expectRefused(await walls.acme('GET', own, { headers: { 'impersonate-uid': '1' } }), /uids/);
  });
  it('does not let it do, as a tenant, what no tenant does', async () => {
    expectRefused(await walls.acme('GET', '/api/v1/nodes'), /cannot impersonate-on:user-info:list/);
  });
  it('gives it no right of its own', async () => {
    expectRefused(await walls.dataPath.send('GET', own), /cannot list/);
  });
});

describe('rights of a tenant', () => {
  it.each([
    ['reads in its own namespace', 'GET', `${NAMESPACES}/${ACME}--default/secrets`, undefined],
    ['writes in its own namespace', 'POST', `${NAMESPACES}/${ACME}--default/configmaps${DRY}`, configMap()],
  ])('%s', async (_what, method, path, body) => {
    expectDone(await walls.acme(method, path, { body }));
  });
  it.each(NOT_THE_TENANTS)('it cannot %s', async (_what, method, path, body) => {
    expectRefused(await walls.acme(method, path, { body }), /forbidden/);
  });
});

describe('the other accounts', () => {
  it('the reader reads and does not write', async () => {
    expectDone(await walls.reader.send('GET', '/api/v1/configmaps?limit=1'));
    const path = `${NAMESPACES}/${ACME}--default/configmaps${DRY}`;
    expectRefused(await walls.reader.send('POST', path, { body: configMap() }), /cannot create/);
  });
  it('the base account mints tokens of the three, and does nothing else', async () => {
    const path = (name: string) => `${NAMESPACES}/kubeveil-system/serviceaccounts/${name}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    expectDone(await walls.base.send('POST', path('kubeveil-reader'), { body }));
    expectRefused(await walls.base.send('POST', path('default'), { body }), /cannot create/);
    expectRefused(await walls.base.send('GET', `${NAMESPACES}/kubeveil-system/secrets`), /cannot list/);
  });
});

describe('a look at the walls', () => {
  const look = () => findMissingWalls(createHostClient(walls.host.upstream, { as: 'provisioner' }), readManifests());

  it('finds them all', async () => {
    expect(await look()).toEqual([]);
  });
  it('finds one that was taken away, and one that was loosened', async () => {
    const admission = '/apis/admissionregistration.k8s.io/v1';
    const bindings = `${admission}/validatingadmissionpolicybindings`;
    const policies = `${admission}/validatingadmissionpolicies`;
    const path = `${bindings}/kubeveil-signers`;
    const { body } = await walls.admin('GET', path);
    await walls.admin('DELETE', path);
    expect(await look()).toEqual([expect.stringMatching(/Binding kubeveil-signers .* is missing/)]);
    await walls.admin('POST', bindings, { ...body, metadata: { name: 'kubeveil-signers' } });
    const changing = `${admission}/mutatingadmissionpolicybindings`;
    const pods = await walls.admin('GET', `${changing}/kubeveil-pods`);
    await walls.admin('DELETE', `${changing}/kubeveil-pods`);
    expect(await look()).toEqual([expect.stringMatching(/MutatingAdmissionPolicyBinding kubeveil-pods .* is missing/)]);
    await walls.admin('POST', changing, { ...pods.body, metadata: { name: 'kubeveil-pods' } });
    const loosen = { spec: { matchConditions: [{ name: 'never', expression: 'false' }] } };
    await walls.admin('PATCH', `${policies}/kubeveil-token-secrets`, loosen, MERGE);
    expect(await look()).toEqual([expect.stringMatching(/kubeveil-token-secrets .* differs/)]);
    await walls.admin('PATCH', `${policies}/kubeveil-token-secrets`, { spec: { matchConditions: null } }, MERGE);
    expect(await look()).toEqual([]);
  });

  it('finds that Pod Security does not act, which it is asked by a pod that it must refuse', async () => {
    const enforce = (level: string) =>
      walls.admin(
        'PATCH',
        `${NAMESPACES}/kubeveil-system`,
        { metadata: { labels: { 'pod-security.kubernetes.io/enforce': level } } },
        MERGE,
      );
    expectDone(await enforce('privileged'));
    expect(await look()).toEqual([expect.stringMatching(/PodSecurity does not act/)]);
    expectDone(await enforce('restricted'));
    expect(await look()).toEqual([]);
  });
  it('finds that limits and quotas do not act, which it is asked by claims that they must refuse', async () => {
    const name = 'kubeveil-probe';
    for (const [plugin, resource] of [
      ['LimitRanger', 'limitranges'],
      ['ResourceQuota', 'resourcequotas'],
    ] as const) {
      const path = `${NAMESPACES}/kubeveil-system/${resource}`;
      const { body } = await walls.admin('GET', `${path}/${name}`);
      expectDone(await walls.admin('DELETE', `${path}/${name}`));
      const missed = async () => (await look()).join().includes(`${plugin} does not act`);
      await eventually(`${plugin} is missed`, missed);
      expectDone(await walls.admin('POST', path, { metadata: { name }, spec: body['spec'] }));
      await eventually(`${plugin} acts again`, async () => (await look()).length === 0);
    }
  });
  it('lets the provisioner ask for a claim and make none', async () => {
    const claim = (storage: string) => ({
      metadata: { generateName: 'a-' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
    const claims = `${NAMESPACES}/kubeveil-system/persistentvolumeclaims`;
    expectRefused(await walls.provision('POST', claims, claim('1Ki')), /makes no claims/);
    expectRefused(await walls.provision('POST', claims + DRY, claim('1Ki')), /exceeded quota/);
    expectRefused(await walls.provision('POST', claims + DRY, claim('1Gi')), /maximum storage usage/);
    const elsewhere = claims.replace('kubeveil-system', `${ACME}--default`);
    expectRefused(await walls.provision('POST', elsewhere + DRY, claim('1Ki')), /cannot create resource/);
  });
  it('lets the provisioner make no pod, whatever it is', async () => {
    const securityContext = {
      allowPrivilegeEscalation: false,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    };
    const spec = {
      serviceAccountName: 'kubeveil-provisioner',
      containers: [{ name: 'a', image: 'a', securityContext }],
    };
    const good = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'good' }, spec };
    const pods = `${NAMESPACES}/kubeveil-system/pods${DRY}`;
    expectRefused(await walls.provision('POST', pods, good), /makes no pods/);
    expectDone(await walls.admin('POST', pods, good));
  });

  it('keeps the proxy from serving while one is missing, and tells what to do', async () => {
    const ending = new AbortController();
    const { upstream } = walls.host;
    const options = { upstream, manifests: readManifests(), signal: ending.signal, waitingMs: 20, intervalMs: 20 };
    const readiness = watchReadiness(options);
    expect(readiness.problem()).toBeDefined();
    await readiness.whenReady();
    expect(readiness.problem()).toBeUndefined();
    const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
    const { body } = await walls.admin('GET', `${bindings}/kubeveil-tokens`);
    await walls.admin('DELETE', `${bindings}/kubeveil-tokens`);
    await expect.poll(() => readiness.problem()).toMatch(/kubeveil-tokens .* is missing.*kubectl apply -f deploy\//);
    await walls.admin('POST', bindings, { ...body, metadata: { name: 'kubeveil-tokens' } });
    await expect.poll(() => readiness.problem()).toBeUndefined();
    ending.abort();
  });
});
