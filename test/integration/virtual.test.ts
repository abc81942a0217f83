/**
 * Virtual kinds against the real API server: what is committed is what its OpenAPI gives, and a virtual ClusterRole is
 * accepted, refused and patched as a native one.
 */
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { parse } from 'yaml';
import { ApiError } from '../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../src/k8s/types.ts';
import { virtualBehaviour } from '../../src/virtual/behaviours.ts';
import { printerOf } from '../../src/virtual/tables.ts';
import { adminClient } from '../support/control-plane.ts';
import { defaultRoles } from '../tools/default-roles.ts';
import { fetchFrom } from '../tools/live.ts';
import { virtualFiles, virtualKinds } from '../tools/virtual-crds.ts';

const ROOT = new URL('../../', import.meta.url);
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const VIRTUAL = '/apis/virtual.kubeveil.dev/v1';
const client = adminClient(inject('controlPlane'));
afterAll(() => client.close());

const live = fetchFrom(inject('controlPlane').adminKubeconfigPath);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

describe('what is committed', () => {
  it('is what the OpenAPI of the API server gives', async () => {
    const files = await virtualFiles(live);
    expect(files.size).toBe(virtualKinds().length + 2);
    for (const [path, content] of files) expect(read(path), `${path}: run test/tools/virtual-crds.ts`).toBe(content);
  });
  it('has the bootstrap roles of the API server', async () => {
    expect(JSON.parse(read('src/virtual/default-roles.generated.json'))).toEqual(await defaultRoles(live));
  });
  it('has a behaviour for every virtual kind', () => {
    for (const kind of virtualKinds()) expect(virtualBehaviour(kind.group, kind.resource), kind.kind).toBeDefined();
  });
});

const META = { labels: { a: '1' } };
const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const alice = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' };

beforeAll(async () => {
  for (const kind of virtualKinds()) {
    const crd: JsonValue = parse(read(`deploy/60-virtual-${kind.resource}.yaml`));
    const name = `${kind.resource}.virtual.kubeveil.dev`;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}?fieldManager=test&force=true`;
    const { status, body } = await client.send('PATCH', path, crd, 'application/apply-patch+yaml');
    expect([200, 201], JSON.stringify(body)).toContain(status);
  }
  for (const kind of virtualKinds()) await vi.waitFor(() => live(`${VIRTUAL}/${kind.resource}`), 30_000);
});

async function fresh(path: string, apiVersion: string, kind: string, name: string, rest: JsonObject): Promise<void> {
  await client.send('DELETE', `${path}/${name}`);
  const { status, body } = await client.send('POST', path, { apiVersion, kind, metadata: { ...META, name }, ...rest });
  expect(status, JSON.stringify(body)).toBe(201);
}

describe('a virtual object', () => {
  it('keeps what the native kind keeps and loses what it does not know', async () => {
    const rules = [rule, { verbs: ['get'], nonResourceURLs: ['/x'], frob: 1 }];
    await fresh(`${VIRTUAL}/clusterroles`, 'virtual.kubeveil.dev/v1', 'ClusterRole', 'acme--kept', { rules, frob: 1 });
    const { body } = await client.send('GET', `${VIRTUAL}/clusterroles/acme--kept`);
    expect(body).toMatchObject({ rules: [rule, { verbs: ['get'], nonResourceURLs: ['/x'] }] });
    expect(body).not.toHaveProperty('frob');
    expect(body).not.toHaveProperty(['rules', 1, 'frob']);
  });
  it('never changes its role, whoever writes', async () => {
    const path = `${VIRTUAL}/clusterrolebindings`;
    await fresh(path, 'virtual.kubeveil.dev/v1', 'ClusterRoleBinding', 'acme--fixed', { roleRef, subjects: [alice] });
    const change = (patch: JsonObject) =>
      client.send('PATCH', `${path}/acme--fixed`, patch, 'application/merge-patch+json');
    expect(await change({ roleRef: { name: 'edit' } })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('cannot change roleRef') },
    });
    expect(await change({ subjects: [] })).toMatchObject({ status: 200 });
  });
  it('gives nobody anything on the host', async () => {
    const path = `${VIRTUAL}/clusterrolebindings`;
    await fresh(path, 'virtual.kubeveil.dev/v1', 'ClusterRoleBinding', 'acme--power', {
      roleRef: { ...roleRef, name: 'cluster-admin' },
      subjects: [alice],
    });
    const review = {
      spec: { user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
    };
    const answer = await client.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review);
    expect(answer).toMatchObject({ status: 201, body: { status: { allowed: false } } });
  });
});

/** What is refused, and what looks odd but is not. */
const roles: JsonObject[] = [
  {},
  { rules: null },
  { rules: [rule] },
  { rules: [{}] },
  { rules: [{ verbs: [] }] },
  { rules: [{ verbs: ['get'] }] },
  {
    rules: [
      { verbs: ['get'], apiGroups: [''] },
      { verbs: ['get'], resources: ['pods'] },
    ],
  },
  { rules: [{ verbs: ['get'], nonResourceURLs: ['/a"<b', '*'] }] },
  { rules: [{ verbs: ['get'], nonResourceURLs: ['/a"<b', '*'], apiGroups: [''] }] },
  { rules: [{ nonResourceURLs: ['/a'], resourceNames: ['x'] }] },
  { aggregationRule: {} },
  { aggregationRule: { clusterRoleSelectors: [] } },
  { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
  { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] } },
  { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'c d' } }] } },
  { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] } },
  {
    aggregationRule: {
      clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }],
    },
  },
  {
    aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Frob', values: ['b'] }] }] },
  },
  {
    aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a b', operator: 'In', values: ['-'] }] }] },
  },
];
const bindings: JsonObject[] = [
  { roleRef, subjects: [alice] },
  { roleRef: { kind: 'ClusterRole', name: 'x' } },
  { roleRef: { kind: 'ClusterRole', name: 'x' }, subjects: [{ kind: 'User', name: 'a' }] },
  {},
  { roleRef: { ...roleRef, kind: 'Role' } },
  { roleRef: { ...roleRef, apiGroup: 'x' } },
  { roleRef: { ...roleRef, name: '' } },
  { roleRef: { ...roleRef, name: '..' } },
  { roleRef: { ...roleRef, name: 'a/b' } },
  { roleRef, subjects: [{}] },
  { roleRef, subjects: [{ ...alice, name: '' }] },
  { roleRef, subjects: [{ ...alice, apiGroup: 'x' }] },
  { roleRef, subjects: [{ kind: 'Group', name: 'g', namespace: 'n' }] },
  { roleRef, subjects: [{ kind: 'Robot', name: 'g' }] },
  { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
  { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: 'n' }] },
  { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'A B', namespace: 'n' }] },
  { roleRef, subjects: [{ kind: 'ServiceAccount', apiGroup: 'x', name: 'a', namespace: 'n' }] },
  { roleRef, subjects: [{ kind: 'ServiceAccount', name: '', namespace: '' }, alice] },
];

/** What our own validation makes of an object, as the native kind's answer would look. */
function judged(resource: string, object: JsonObject, previous?: JsonObject): JsonValue | undefined {
  const behaviour = virtualBehaviour('rbac.authorization.k8s.io', resource);
  if (behaviour === undefined) throw new Error(`${resource} has no behaviour`);
  try {
    behaviour.validate(behaviour.withDefaults(object), previous, '');
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message, reason, status: code, details } = error;
    return { message, reason, code, details: details as JsonObject };
  }
}

describe('validation says what the native kind says', () => {
  const cases: [string, string, JsonObject][] = [
    ...roles.map((object): [string, string, JsonObject] => ['clusterroles', 'ClusterRole', object]),
    ...bindings.map((object): [string, string, JsonObject] => ['clusterrolebindings', 'ClusterRoleBinding', object]),
  ];
  it.each(cases)('of %s, %#', async (resource, kind, rest) => {
    const object: JsonObject = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'x' },
      ...rest,
    };
    const { status, body } = await client.send('POST', `${RBAC}/${resource}?dryRun=All`, object);
    const mine = judged(resource, object);
    if (status === 201) expect(mine).toBeUndefined();
    else expect(body).toMatchObject(mine as JsonObject);
  });
  it('of a change of the role', async () => {
    const path = `${RBAC}/clusterrolebindings`;
    await fresh(path, 'rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'virtual-test', { roleRef, subjects: [] });
    const previous = await live(`${path}/virtual-test`);
    const object = { ...previous, roleRef: { ...roleRef, name: 'edit' } };
    const { body } = await client.send('PUT', `${path}/virtual-test?dryRun=All`, object);
    expect(body).toMatchObject(judged('clusterrolebindings', object, previous) as JsonObject);
    const same = await client.send('PUT', `${path}/virtual-test?dryRun=All`, previous);
    expect(same.status).toBe(200);
    expect(judged('clusterrolebindings', previous, previous)).toBeUndefined();
    await client.send('DELETE', `${path}/virtual-test`);
  });
});

describe('a Table', () => {
  const subjects = [
    alice,
    { ...alice, name: 'bob' },
    { ...alice, kind: 'Group', name: 'devs' },
    { kind: 'ServiceAccount', name: 'bot', namespace: 'web' },
  ];
  it.each([
    ['clusterroles', 'ClusterRole', { rules: [rule] }],
    ['clusterrolebindings', 'ClusterRoleBinding', { roleRef, subjects }],
  ] as [string, string, JsonObject][])(
    'of %s is printed as the native kind prints it',
    async (resource, kind, rest) => {
      const path = `${RBAC}/${resource}`;
      await fresh(path, 'rbac.authorization.k8s.io/v1', kind, 'virtual-test-table', rest);
      const object = await live(`${path}/virtual-test-table`);
      const table = await tableOf(`${path}/virtual-test-table`);
      const printer = printerOf('rbac.authorization.k8s.io', resource);
      expect(table['columnDefinitions']).toEqual(printer?.columns);
      const [row] = table['rows'] as JsonObject[];
      const ages = (cells: JsonValue | undefined) =>
        (cells as JsonValue[]).map((cell) => String(cell).replace(/^\d+s$/, 'AGE'));
      expect(ages(printer?.cells(object, Date.now()))).toEqual(ages(row?.['cells']));
      await client.send('DELETE', `${path}/virtual-test-table`);
    },
  );
});

function tableOf(path: string): Promise<JsonObject> {
  const { server, caPem, adminCertPem, adminKeyPem } = inject('controlPlane');
  return new Promise((resolve, reject) => {
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const options = { ca: caPem, cert: adminCertPem, key: adminKeyPem, headers };
    get(new URL(path, server), options, async (incoming) => {
      resolve(JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as JsonObject);
    }).once('error', reject);
  });
}
