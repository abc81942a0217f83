/**
 * A tenant that is deleted takes with it everything that is its own and nothing else, and its id is free only then. On the
 * live control plane.
 */

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Controllers } from '../../src/controllers/controllers.ts';
import { nameOf } from '../../src/k8s/meta.ts';
import { isObject, type JsonObject } from '../../src/k8s/types.ts';
import type { TenantId, TenantName } from '../../src/tenancy/names.ts';
import { exists, must } from '../support/administrator.ts';
import { type Host, prepareHost, runControllers } from '../support/host.ts';
import { pod } from '../support/policy-tenants.ts';
import { createTenant, deleteTenant, heard } from '../support/tenants.ts';

const TENANTS = '/apis/kubeveil.dev/v1alpha1/tenants';
const NAMESPACES = '/api/v1/namespaces';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const VIRTUAL_ROLES = '/apis/virtual.kubeveil.dev/v1/clusterroles';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MERGE = 'application/merge-patch+json';
const FINALIZERS = ['example.com/held'];

let host: Host;
let controllers: Controllers & AsyncDisposable;

beforeAll(async () => {
  host = await prepareHost(inject('controlPlane'));
  controllers = runControllers(host);
  await controllers.whenSynced();
});

afterAll(async () => {
  await controllers[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});

function admin(method: string, path: string, body?: unknown, contentType?: string): Promise<JsonObject> {
  return must(host.admin, method, path, body, contentType);
}

function role(name: string, tenant: string, metadata: object = {}) {
  return {
    apiVersion: 'virtual.kubeveil.dev/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { 'kubeveil.dev/tenant': tenant }, ...metadata },
    rules: [],
  };
}

function definition(tenant: string, scope: 'Namespaced' | 'Cluster', plural: string) {
  const group = `${tenant}--example.com`;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'kubeveil.dev/tenant': tenant } },
    spec: {
      group,
      scope,
      names: { plural, singular: `${tenant}--${plural.slice(0, -1)}`, kind: `Kind${plural}` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

function custom(tenant: string, plural: string, metadata: object) {
  return { apiVersion: `${tenant}--example.com/v1`, kind: `Kind${plural}`, metadata };
}

/** What a tenant may have, some of it held by finalizers of controllers that are no more. */
async function furnish(tenant: string): Promise<string[]> {
  const maps = `${NAMESPACES}/${tenant}--default/configmaps`;
  await admin('POST', maps, { metadata: { name: 'held', finalizers: FINALIZERS } });
  // While there are pods, the host looks at nothing else, and does not say what holds them.
  await admin('POST', `${NAMESPACES}/${tenant}--default/pods`, pod({}, {}, { name: 'held', finalizers: FINALIZERS }));
  await admin('POST', VIRTUAL_ROLES, role(`${tenant}--held`, tenant, { finalizers: FINALIZERS }));
  const namespace = `${NAMESPACES}/${tenant}--default`;
  await admin('PATCH', namespace, { metadata: { finalizers: FINALIZERS } }, MERGE);
  const stored = await admin('GET', namespace);
  await admin('PUT', `${namespace}/finalize`, { ...stored, spec: { finalizers: ['kubernetes', 'example.com/hold'] } });
  for (const [plural, scope] of [
    ['foos', 'Namespaced'],
    ['bars', 'Cluster'],
  ] as const) {
    await admin('POST', CRDS, definition(tenant, scope, plural));
    const within = scope === 'Cluster' ? '' : `/namespaces/${tenant}--default`;
    const path = `/apis/${tenant}--example.com/v1${within}/${plural}`;
    await expect.poll(() => host.admin.send('GET', path).then(({ status }) => status), { timeout: 20_000 }).toBe(200);
    await admin('POST', path, custom(tenant, plural, { name: 'held', finalizers: FINALIZERS }));
  }
  return [
    `${NAMESPACES}/${tenant}--default`,
    `${VIRTUAL_ROLES}/${tenant}--held`,
    `${CRDS}/foos.${tenant}--example.com`,
    `${CRDS}/bars.${tenant}--example.com`,
    `${NAMESPACES}/kubeveil-system/secrets/tenant-ca-${tenant}`,
  ];
}

describe('a tenant that is deleted', () => {
  it('takes everything that is its own, and nothing of anybody else', async () => {
    const [gone, stays] = await Promise.all(['gone', 'gone-eu'].map((id) => createTenant(host, controllers, id)));
    const [own, foreign] = await Promise.all(['gone', 'gone-eu'].map(furnish));
    // Label and prefix must both speak: neither alone makes an object the tenant's.
    await admin('POST', VIRTUAL_ROLES, role('gone-lookalike', 'gone'));
    await admin('POST', VIRTUAL_ROLES, role('gone--lookalike', 'gone-eu'));
    const others = [...(foreign ?? []), `${VIRTUAL_ROLES}/gone-lookalike`, `${VIRTUAL_ROLES}/gone--lookalike`];
    for (const path of [...(own ?? []), ...others])
      expect([path, await exists(host.admin, path)]).toEqual([path, true]);

    const refused = heard(controllers.informers.tenants, 'a tenant that goes', ({ object }) => {
      const { status } = object;
      return nameOf(object) === 'gone' && isObject(status) && status['phase'] === 'Terminating';
    });
    const deleted = deleteTenant(host, controllers, 'gone');
    await refused;
    expect(controllers.tenants.get('gone' as TenantId)?.phase).toBe('Terminating');
    // The id is not free before all is gone.
    const again = { apiVersion: 'kubeveil.dev/v1alpha1', kind: 'Tenant', metadata: { name: 'gone' } };
    expect((await host.admin.send('POST', TENANTS, again)).status).toBe(409);
    await deleted;

    for (const path of own ?? []) expect([path, await exists(host.admin, path)]).toEqual([path, false]);
    expect(await exists(host.admin, `${RBAC}/clusterroles/kubeveil:custom:gone`)).toBe(false);
    const list = JSON.stringify(await admin('GET', `${RBAC}/clusterroles/kubeveil:impersonation`));
    expect(list).not.toContain('"kubeveil:gone"');
    expect(list).toContain('"kubeveil:gone-eu"');
    for (const path of others) expect([path, await exists(host.admin, path)]).toEqual([path, true]);

    const next = await createTenant(host, controllers, 'gone');
    expect(next.uid).not.toBe(gone?.uid);
    expect(controllers.tenants.get(next.id)?.uid).toBe(next.uid);
    for (const name of ['gone-lookalike', 'gone--lookalike']) await admin('DELETE', `${VIRTUAL_ROLES}/${name}`);
    await Promise.all([next, stays].map((tenant) => deleteTenant(host, controllers, tenant?.id ?? '')));
  });

  it('says what holds it', async () => {
    await createTenant(host, controllers, 'stuck');
    const held = `${NAMESPACES}/stuck--default/configmaps/held`;
    // Finalizers of Kubernetes are its own to clear.
    await admin('POST', `${NAMESPACES}/stuck--default/configmaps`, {
      metadata: { name: 'held', finalizers: ['example.kubernetes.io/hold'] },
    });
    const said = heard(controllers.informers.tenants, 'what is left', ({ object }) => {
      const words = JSON.stringify(object['status'] ?? '');
      return (
        nameOf(object) === 'stuck' && /deleting 1 namespace \(in stuck--default: .*configmaps.*\bhold\b/.test(words)
      );
    });
    const deleted = deleteTenant(host, controllers, 'stuck');
    await said;
    await admin('PATCH', held, { metadata: { finalizers: null } }, MERGE);
    await deleted;
  });

  it('leaves its id unusable while something of it is left by force', async () => {
    await createTenant(host, controllers, 'forced');
    // Somebody takes the finalizer off: the namespace stays behind.
    await controllers[Symbol.asyncDispose]();
    await admin('DELETE', `${TENANTS}/forced`);
    await admin('PATCH', `${TENANTS}/forced`, { metadata: { finalizers: null } }, MERGE);
    controllers = runControllers(host);
    await controllers.whenSynced();
    const tenant = { apiVersion: 'kubeveil.dev/v1alpha1', kind: 'Tenant', metadata: { name: 'forced' } };
    await admin('POST', TENANTS, tenant);
    await heard(controllers.informers.tenants, 'a condition', ({ object }) => {
      return nameOf(object) === 'forced' && JSON.stringify(object['status'] ?? '').includes('an earlier tenant');
    });
    expect(controllers.namespaces.state('forced' as TenantId, 'default' as TenantName)).toBe('absent');
    expect(controllers.tenants.get('forced' as TenantId)?.phase).toBe('Pending');
    await admin('DELETE', `${NAMESPACES}/forced--default`);
    await heard(controllers.informers.tenants, 'in service', ({ object }) => {
      return nameOf(object) === 'forced' && JSON.stringify(object['status'] ?? '').includes('Active');
    });
    await deleteTenant(host, controllers, 'forced');
  });
});
