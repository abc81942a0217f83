/**
 * The life of a tenant on the host, with the provisioner's controllers on the live control plane: made, kept right against
 * changes by hand, and removed with everything that is its own and nothing else.
 */
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Controllers } from '../../src/controllers/controllers.ts';
import { nameOf, uidOf } from '../../src/k8s/meta.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { TenantId, TenantName } from '../../src/tenancy/names.ts';
import { exists, must } from '../support/administrator.ts';
import { type Host, prepareHost, runControllers } from '../support/host.ts';
import { eventually } from '../support/processes.ts';
import { createTenant, deleteTenant, heard, type TestTenant } from '../support/tenants.ts';

const TENANTS = '/apis/kubeveil.dev/v1alpha1/tenants';
const NAMESPACES = '/api/v1/namespaces';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MERGE = 'application/merge-patch+json';
const DEFAULT = 'default' as TenantName;

let host: Host;
let controllers: Controllers & AsyncDisposable;

beforeAll(async () => {
  host = await prepareHost(inject('controlPlane'));
  controllers = runControllers(host, { reserved: () => new Set(['life-kept']) });
  await controllers.whenSynced();
});

afterAll(async () => {
  await controllers[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});

function admin(method: string, path: string, body?: unknown, contentType?: string): Promise<JsonObject> {
  return must(host.admin, method, path, body, contentType);
}

/** As the tenant, through the data path. */
async function as(tenant: TestTenant, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
  const user = { username: 'alice', groups: [], uid: '', extra: {} };
  const { status } = await host.upstream.request({
    identity: { as: 'tenant', tenant: tenant.id, user },
    method,
    path,
    ...(body !== undefined && {
      contentType: method === 'PATCH' ? MERGE : 'application/json',
      body: JSON.stringify(body),
    }),
  });
  return status;
}

function definition(tenant: string, scope: 'Namespaced' | 'Cluster', plural = 'foos') {
  const group = `${tenant}--example.com`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'kubeveil.dev/tenant': tenant } },
    spec: {
      group,
      scope,
      names: { plural, singular: `${tenant}--${plural.slice(0, -1)}`, kind: `Kind${plural}` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}

function custom(tenant: string, plural: string, metadata: object) {
  return { apiVersion: `${tenant}--example.com/v1`, kind: `Kind${plural}`, metadata };
}

function namespaceOf(tenant: TestTenant, name: string) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${tenant.id}--${name}` } };
}

function makeNamespace(tenant: TestTenant, name: string) {
  const live = controllers.tenants.get(tenant.id);
  if (live === undefined) throw new Error(`${tenant.id} is not there`);
  return controllers.provisioner.createNamespace(live, namespaceOf(tenant, name), []);
}

describe('a new tenant', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await createTenant(host, controllers, 'life-new');
  });
  afterAll(() => deleteTenant(host, controllers, tenant.id));

  it('is Active, with a CA that names it and its uid', async () => {
    const live = controllers.tenants.get(tenant.id);
    expect(live).toMatchObject({ id: tenant.id, uid: tenant.uid, phase: 'Active', policy: 'default' });
    const authority = new X509Certificate(live?.clientCaPem ?? '');
    expect(authority.subject.split('\n')).toEqual(['CN=kubeveil tenant life-new', `OU=${tenant.uid}`]);
    const secret = await admin('GET', `${NAMESPACES}/kubeveil-system/secrets/tenant-ca-life-new`);
    const { 'tls.crt': stored } = secret['data'] as Record<string, string>;
    expect(Buffer.from(stored ?? '', 'base64').toString('utf8')).toBe(live?.clientCaPem);
  });
  it('says so in a condition', async () => {
    const { status } = await admin('GET', `${TENANTS}/${tenant.id}`);
    expect(status).toMatchObject({
      phase: 'Active',
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }],
    });
  });
  it('has a namespace `default` with its service account, that works', async () => {
    expect(controllers.namespaces.state(tenant.id, DEFAULT)).toBe('ready');
    expect(controllers.namespaces.state(tenant.id, 'default' as TenantName)).toBe('ready');
    expect(await exists(host.admin, `${NAMESPACES}/life-new--default/serviceaccounts/default`)).toBe(true);
    const maps = `${NAMESPACES}/life-new--default/configmaps`;
    expect(await as(tenant, 'POST', maps, { metadata: { name: 'a' } })).toBe(201);
  });
  it('can be suspended and taken back into service', async () => {
    const phaseBecomes = (phase: string) =>
      heard(controllers.informers.tenants, phase, ({ object }) => {
        const { status } = object as { status?: { phase?: string } };
        return nameOf(object) === tenant.id && status?.phase === phase;
      });
    await admin('PATCH', `${TENANTS}/${tenant.id}`, { spec: { suspended: true } }, MERGE);
    await phaseBecomes('Suspended');
    expect(controllers.tenants.get(tenant.id)?.phase).toBe('Suspended');
    await admin('PATCH', `${TENANTS}/${tenant.id}`, { spec: { suspended: false } }, MERGE);
    await phaseBecomes('Active');
    expect(controllers.tenants.get(tenant.id)?.phase).toBe('Active');
  });
});

describe('an id that cannot be', () => {
  it.each([
    ['ab', /3 to 20 characters/],
    ['a-name-that-is-too-long', /3 to 20 characters/],
    ['a--b', /single dashes/],
    ['1st', /start with a letter/],
    ['kube-public', /reserved/],
    ['kubeveil', /reserved/],
  ])('%s is refused by the host', async (name, saying) => {
    const tenant = { apiVersion: 'kubeveil.dev/v1alpha1', kind: 'Tenant', metadata: { name } };
    const { status, body } = await host.admin.send('POST', TENANTS, tenant);
    expect(status).toBe(422);
    expect((body as { message: string }).message).toMatch(saying);
  });
  it('is never served when the operator keeps it, and says why', async () => {
    const metadata = { name: 'life-kept' };
    await admin('POST', TENANTS, { apiVersion: 'kubeveil.dev/v1alpha1', kind: 'Tenant', metadata });
    await heard(controllers.informers.tenants, 'a condition', ({ object }) => {
      return nameOf(object) === 'life-kept' && /reserved/.test(JSON.stringify(object['status'] ?? ''));
    });
    expect(controllers.tenants.get('life-kept' as TenantId)?.phase).toBe('Pending');
    expect(await exists(host.admin, `${NAMESPACES}/life-kept--default`)).toBe(false);
    await deleteTenant(host, controllers, 'life-kept');
  });
});

describe('namespaces of a tenant', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await createTenant(host, controllers, 'life-ns');
  });
  afterAll(() => deleteTenant(host, controllers, tenant.id));

  it('can be used the moment they are made', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `made-${index}`);
    const statuses = await Promise.all(
      names.map(async (name) => {
        const made = await makeNamespace(tenant, name);
        const map = { metadata: { name: 'first' } };
        return [made.status, await as(tenant, 'POST', `${NAMESPACES}/life-ns--${name}/configmaps`, map)];
      }),
    );
    expect(statuses).toEqual(names.map(() => [201, 201]));
  });
  it('are refused as the host refuses them, when they are there already', async () => {
    await makeNamespace(tenant, 'twice');
    const again = await makeNamespace(tenant, 'twice');
    expect(again.status).toBe(409);
  });
  it('that every cluster has are made when they are needed', async () => {
    const live = controllers.tenants.get(tenant.id);
    if (live === undefined) throw new Error('not there');
    const name = 'kube-system' as TenantName;
    expect(controllers.namespaces.state(tenant.id, name)).toBe('absent');
    await Promise.all([1, 2, 3].map(() => controllers.provisioner.ensureReady(live, name)));
    expect(controllers.namespaces.state(tenant.id, name)).toBe('ready');
    const other = 'other' as TenantName;
    expect(await controllers.provisioner.exists(live, other)).toBe(false);
    await expect(controllers.provisioner.ensureReady(live, other)).rejects.toThrow('namespaces "other" not found');
  });

  it('get their guard back when somebody deletes it', async () => {
    const path = `${RBAC}/namespaces/life-ns--default/rolebindings/kubeveil:guard`;
    const { uid } = (await admin('GET', path))['metadata'] as { uid: string };
    await admin('DELETE', path);
    await eventually('another guard', async () => {
      const { body, status } = await host.admin.send('GET', path);
      return status === 200 && uidOf(body as JsonObject) !== uid;
    });
    const maps = `${NAMESPACES}/life-ns--default/configmaps`;
    await eventually('rights again', async () => (await as(tenant, 'GET', maps)) === 200);
  });
  it('get their guard mended when somebody changes it', async () => {
    const path = `${RBAC}/namespaces/life-ns--default/rolebindings/kubeveil:guard`;
    const widened = { subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'mallory' }] };
    expect((await host.admin.send('PATCH', path, widened, MERGE)).status).toBe(403);
    await admin('PATCH', path, { metadata: { finalizers: null, labels: null } }, MERGE);
    await eventually('label and finalizer again', async () => {
      const guard = JSON.stringify((await admin('GET', path))['metadata']);
      return guard.includes('"kubeveil.dev/guard":"life-ns"') && guard.includes('"finalizers":["kubeveil.dev/guard"]');
    });
  });

  it('stay usable while they go, until the tenant’s finalizers are off', async () => {
    await makeNamespace(tenant, 'going');
    const map = `${NAMESPACES}/life-ns--going/configmaps/held`;
    const held = { metadata: { name: 'held', finalizers: ['example.com/mine'] } };
    expect(await as(tenant, 'POST', `${NAMESPACES}/life-ns--going/configmaps`, held)).toBe(201);
    await admin('DELETE', `${NAMESPACES}/life-ns--going`);
    await heard(controllers.informers.namespaces, 'the controller has looked', ({ object }) => {
      return nameOf(object) === 'life-ns--going' && JSON.stringify(object).includes('example.com/mine in 1');
    });
    expect(controllers.namespaces.state(tenant.id, 'going' as TenantName)).toBe('terminating');
    expect(await as(tenant, 'PATCH', map, { metadata: { finalizers: null } })).toBe(200);
    await heard(controllers.informers.namespaces, 'the namespace is gone', ({ type, object }) => {
      return type === 'deleted' && nameOf(object) === 'life-ns--going';
    });
  });
  it('are made again by the host’s administrator’s mistake: `default`', async () => {
    const { uid } = (await admin('GET', `${NAMESPACES}/life-ns--default`))['metadata'] as { uid: string };
    await admin('DELETE', `${NAMESPACES}/life-ns--default`);
    await heard(controllers.informers.namespaces, 'another default', ({ type, object }) => {
      return type !== 'deleted' && nameOf(object) === 'life-ns--default' && uidOf(object) !== uid;
    });
    await eventually('it is ready', () => controllers.namespaces.state(tenant.id, DEFAULT) === 'ready');
  });
});

describe('kinds that a tenant defines', () => {
  let owner: TestTenant;
  let other: TestTenant;
  beforeAll(async () => {
    [owner, other] = await Promise.all([
      createTenant(host, controllers, 'life-own'),
      createTenant(host, controllers, 'life-oth'),
    ]);
  });
  afterAll(() => Promise.all(['life-own', 'life-oth'].map((id) => deleteTenant(host, controllers, id))));

  it('can be used by it, in its namespaces, and by nobody else', async () => {
    const path = '/apis/life-own--example.com/v1/namespaces/life-own--default/foos';
    expect(await as(owner, 'POST', CRDS, definition('life-own', 'Namespaced'))).toBe(201);
    await eventually('rights on it', async () => (await as(owner, 'GET', path)) === 200);
    expect(await as(owner, 'POST', path, custom('life-own', 'foos', { name: 'a' }))).toBe(201);
    expect(await as(other, 'GET', path)).toBe(403);
    expect(await as(other, 'GET', path.replace('life-own--default', 'life-oth--default'))).toBe(403);
    expect(await as(owner, 'GET', '/apis/life-own--example.com/v1/foos')).toBe(403);
    const reader = { as: 'reader' } as const;
    await eventually('the reader reads it', async () => {
      const read = { identity: reader, method: 'GET', path: '/apis/life-own--example.com/v1/foos' } as const;
      return (await host.upstream.request(read)).status === 200;
    });
  });
  it('can be cluster-scoped', async () => {
    const path = '/apis/life-own--example.com/v1/bars';
    expect(await as(owner, 'POST', CRDS, definition('life-own', 'Cluster', 'bars'))).toBe(201);
    await eventually('rights on it', async () => (await as(owner, 'GET', path)) === 200);
    expect(await as(owner, 'POST', path, custom('life-own', 'bars', { name: 'cluster' }))).toBe(201);
    expect(await as(other, 'GET', path)).toBe(403);
  });
  it('take the rights with them when they go', async () => {
    for (const plural of ['foos', 'bars']) {
      expect(await as(owner, 'DELETE', `${CRDS}/${plural}.life-own--example.com`)).toBe(200);
    }
    await eventually(
      'no role',
      async () => !(await exists(host.admin, `${RBAC}/clusterroles/kubeveil:custom:life-own`)),
    );
    const binding = `${RBAC}/namespaces/life-own--default/rolebindings/kubeveil:custom`;
    await eventually('no binding', async () => !(await exists(host.admin, binding)));
    await eventually('not in the lists', async () => {
      const role = JSON.stringify(await admin('GET', `${RBAC}/clusterroles/kubeveil:impersonation`));
      return !role.includes('life-own--example.com');
    });
  });
});
