/**
 * A tenant's admission policies against the same policies on the plain API server: the same requests, the same answers.
 * And what they must never do: act on another tenant or on the host, or keep their owner from taking them away.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { binding, deployment, match, NAMESPACE, OBJECTS, policy, REQUESTS } from '../support/admission-vectors.ts';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { jsonOf, type RawAnswer, requestOnce } from '../support/http.ts';
import { ODD_POLICIES, ODD_REQUESTS } from '../support/odd-mutations.ts';
import { eventually } from '../support/processes.ts';

const { acme, globex } = useProduct();
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const GROUP = '/apis/admissionregistration.k8s.io/v1';

const POLICIES = [...OBJECTS, ...ODD_POLICIES];

type Send = (method: string, path: string, body?: unknown, contentType?: string) => Promise<RawAnswer>;

const asTenant: Send = (method, path, body, contentType = 'application/json') =>
  acme.send(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': contentType } }),
  });

const asHost: Send = (method, path, body, contentType = 'application/json') => {
  const { server, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = inject('controlPlane');
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': contentType } };
  return requestOnce({ server, caPem, certPem, keyPem, path, method, ...sent });
};

const SIDES = { tenant: asTenant, host: asHost };

function pathOf({ kind, metadata }: JsonObject): string {
  const plural = `${String(kind).toLowerCase()}s`.replace(/policys$/, 'policies');
  return `${GROUP}/${plural}/${(metadata as JsonObject)['name']}`;
}

beforeAll(async () => {
  const limits = (name: string, most: string, labels: JsonObject = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels },
    data: { most },
  });
  for (const send of Object.values(SIDES)) {
    await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await send('POST', `/api/v1/namespaces/${NAMESPACE}/configmaps`, limits('limits', '3'));
    await send('POST', `/api/v1/namespaces/${NAMESPACE}/configmaps`, limits('soft', '2', { params: 'soft' }));
    for (const object of POLICIES) {
      const made = await send('POST', pathOf(object).replace(/\/[^/]+$/, ''), object);
      expect(made.text).not.toContain('"Failure"');
    }
    await eventually('the policies act', async () => {
      const marked = await send('POST', `${DEPLOYMENTS}?dryRun=All`, deployment('marked'));
      const plain = await send('POST', `${DEPLOYMENTS}?dryRun=All`, deployment('plain'));
      const faulty = await send('POST', `${DEPLOYMENTS}?dryRun=All`, deployment('faulty'));
      const last = await send(
        'POST',
        `${DEPLOYMENTS}?dryRun=All`,
        deployment('odd', {}, { labels: { 'odd-next': '' } }),
      );
      const acts = marked.text.includes('"side"') && last.text.includes('"meant"');
      return acts && plain.status === 422 && faulty.status === 403;
    });
    for (const name of ['kept', 'grows', 'marked-old']) await send('POST', DEPLOYMENTS, deployment(name));
  }
});

afterAll(async () => {
  for (const object of POLICIES) await asHost('DELETE', pathOf(object));
  await asHost('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
});

/** What can be compared: an object without what differs from one cluster to the next. */
function seen({ status, headers, text }: RawAnswer, body: KubeObject) {
  const { uid: _uid, resourceVersion: _v, creationTimestamp: _t, managedFields: _m, ...metadata } = body.metadata ?? {};
  const details = body.details === undefined ? {} : { details: { ...body.details, uid: undefined } };
  const shown = body.kind === 'Status' ? { ...body, ...details, metadata: {} } : { spec: body.spec, metadata };
  return { status, warnings: headers['warning'] ?? '', text: text.length > 0, shown };
}

describe('the same request at a tenant and at the API server', () => {
  it.each([...REQUESTS, ...ODD_REQUESTS])('$title', async ({ method, path = '', body, type }) => {
    const [tenant, host] = await Promise.all(
      Object.values(SIDES).map(async (send) => {
        const answer = await send(method, `${DEPLOYMENTS}${path}`, body, type);
        return seen(answer, jsonOf<KubeObject>(answer));
      }),
    );
    expect(JSON.stringify(tenant).replace(/gen-\w{5}"/g, 'gen-"')).toBe(
      JSON.stringify(host).replace(/gen-\w{5}"/g, 'gen-"'),
    );
  });

  it('deletes a collection one by one', async () => {
    const answer = await asTenant('DELETE', DEPLOYMENTS);
    expect(jsonOf<KubeObject>(answer)).toMatchObject({ code: 422, message: expect.stringContaining('is kept') });
  });
});

describe('a policy of one tenant', () => {
  const everything = policy('Validating', 'nothing-goes', {
    matchConstraints: {
      resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
    },
    validations: [{ expression: 'false', message: 'nothing goes' }],
  });
  const bound = binding('Validating', 'nothing-goes', 'nothing-goes', { validationActions: ['Deny'] });
  const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  it('acts also where it and its binding have an owner', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const made = await asTenant('POST', roles, { metadata: { name: 'owns-policies' }, rules: [] });
    const { uid } = jsonOf<KubeObject>(made).metadata;
    const ownerReferences = [
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'owns-policies', uid },
    ];
    const owned = (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, ownerReferences } });
    const stops = policy('Validating', 'owned-stops', {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
            resourceNames: ['stopped-by-the-owned'],
          },
        ],
      },
      validations: [{ expression: 'false', message: 'the owned one says no' }],
    });
    await acme.create(owned(stops));
    await acme.create(owned(binding('Validating', 'owned-stops', 'owned-stops', { validationActions: ['Deny'] })));
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stopped-by-the-owned' } };
    await eventually('it acts', async () => {
      const answer = await asTenant('POST', `/api/v1/namespaces/${NAMESPACE}/configmaps?dryRun=All`, configMap);
      return answer.text.includes('the owned one says no');
    });
    const other = { ...configMap, metadata: { name: 'not-stopped-by-the-owned' } };
    const answer = await asTenant('POST', `/api/v1/namespaces/${NAMESPACE}/configmaps?dryRun=All`, other);
    expect(answer.status).toBe(201);
    await asTenant('DELETE', `${roles}/owns-policies`);
  });

  it('stops that tenant, and no other, and can be taken away', async () => {
    await acme.create(everything);
    await acme.create(bound);
    expect(await acme.refused('create namespace stopped')).toContain('nothing goes');
    expect(await acme.refused('create clusterrole stopped --verb=get --resource=pods')).toContain('nothing goes');
    expect(await acme.refused(`delete configmap limits -n ${NAMESPACE}`)).toContain('nothing goes');
    await globex.create(namespace('not-stopped'));
    expect((await asHost('POST', '/api/v1/namespaces?dryRun=All', namespace('not-stopped-either'))).status).toBe(201);
    await acme.kubectl('delete validatingadmissionpolicybinding nothing-goes');
    await acme.kubectl('create namespace stopped-no-more');
    await acme.kubectl('delete validatingadmissionpolicy nothing-goes');
  });

  it('may cost what the API server lets it cost, and no more', async () => {
    const bomb = 'lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))';
    await acme.create(
      policy('Validating', 'bomb', {
        matchConstraints: match('configmaps', ['CREATE'], ''),
        validations: [{ expression: bomb }],
      }),
    );
    await acme.create(binding('Validating', 'bomb', 'bomb', { validationActions: ['Deny'] }));
    expect(await acme.refused(`create configmap x -n ${NAMESPACE}`)).toContain('actual cost limit exceeded');
    await acme.kubectl('delete validatingadmissionpolicybinding bomb');
    await acme.kubectl('delete validatingadmissionpolicy bomb');
    await acme.kubectl(`create configmap x -n ${NAMESPACE}`);
  });

  it('is refused when it does not compile, as the API server refuses it', async () => {
    const faulty = policy('Validating', 'faulty', {
      matchConstraints: match('deployments'),
      validations: [
        { expression: 'object.spec.replicas < "x" || nope' },
        { expression: 'variables.x' },
        { expression: '1' },
      ],
    });
    const path = `${GROUP}/validatingadmissionpolicies`;
    const [tenant, host] = await Promise.all(Object.values(SIDES).map((send) => send('POST', path, faulty)));
    expect(jsonOf<KubeObject>(tenant as RawAnswer)).toEqual(jsonOf<KubeObject>(host as RawAnswer));
  });
});
