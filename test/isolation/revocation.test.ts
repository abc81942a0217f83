/**
 * What was allowed when a watch was opened may not be allowed any more: its tenant is deleted, and another made under the
 * same id; it is suspended; the role or the account behind the watch goes. Each watch then ends in good
 * order, and a watch that is none of it goes on.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { jsonOf, type RawAnswer, requestOnce } from '../support/http.ts';
import { type OpenWatch, openWatch } from '../support/open-watch.ts';
import { eventually } from '../support/processes.ts';
import { makeTenant, type TenantFacts } from '../support/product.ts';

const { acme, host, facts } = useProduct();
const controlPlane = inject('controlPlane');
const TENANTS = '/apis/kubeveil.dev/v1alpha1/tenants';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SECRETS = '/api/v1/namespaces/web/secrets';
const SOON_MS = 60_000;

type Credential = { readonly certPem: string; readonly keyPem: string } | { readonly token: string };

const opened: OpenWatch[] = [];
afterEach(() => {
  for (const watch of opened.splice(0)) watch[Symbol.dispose]();
});

async function watching(credential: Credential, path: string): Promise<OpenWatch> {
  const { server, caPem } = facts;
  const mark = path.includes('?') ? '&' : '?';
  const watch = await openWatch({ server, caPem, ...pick(credential), path: `${path}${mark}watch=true` });
  opened.push(watch);
  expect({ path, status: watch.status }).toEqual({ path, status: 200 });
  return watch;
}

/** Facts of a tenant hold more than a request takes. */
function pick(credential: Credential): Credential {
  if ('token' in credential) return { token: credential.token };
  return { certPem: credential.certPem, keyPem: credential.keyPem };
}

function send(credential: Credential, method: string, path: string, body?: unknown): Promise<RawAnswer> {
  const { server, caPem } = facts;
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  return requestOnce({ server, caPem, ...pick(credential), method, path, ...text });
}

async function make(credential: Credential, path: string, object: KubeObject): Promise<KubeObject> {
  const answer = await send(credential, 'POST', path, object);
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ path, status: 201 });
  return jsonOf<KubeObject>(answer);
}

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
const account = (name: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
const clusterRole = (name: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  rules: [],
});
function definition(plural: string): KubeObject {
  const group = 'revocation.example.com';
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: plural, kind: plural[0]?.toUpperCase() + plural.slice(1) },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

/** One of each that a tenant's watch could see. */
async function fill(tenant: TenantFacts, word: string): Promise<void> {
  await make(tenant, '/api/v1/namespaces', namespace(word));
  await make(tenant, SECRETS, secret(word));
  await make(tenant, `${RBAC}/clusterroles`, clusterRole(word));
  await make(tenant, CRDS, definition(word));
}

function tenantOf(id: string): Promise<TenantFacts> {
  return makeTenant(controlPlane, id, join(controlPlane.workDir, 'product', `${id}-${Date.now()}.kubeconfig`));
}

async function whenEnded(watch: OpenWatch): Promise<void> {
  await eventually(`${watch.path} ends`, () => watch.ended !== undefined, SOON_MS);
  expect({ path: watch.path, ended: watch.ended }).toEqual({ path: watch.path, ended: 'end' });
}

/** Its line in the audit log says why it ended. */
async function expectAudited(why: string, resource: string): Promise<void> {
  await eventually(`a watch of ${resource} is audited as ${why}`, () =>
    readFileSync(facts.logPath, 'utf8')
      .split('\n')
      .some((line) => line.includes(`"resource":"${resource}"`) && line.includes(`"why":"${why}"`)),
  );
}

describe('watches of a tenant that is deleted', () => {
  it('end, and show nothing of the one that is made under its id', async () => {
    const before = await tenantOf('phoenix');
    await make(before, '/api/v1/namespaces', namespace('web'));
    await fill(before, 'ashes');
    const paths = [SECRETS, '/api/v1/secrets', '/api/v1/namespaces', `${RBAC}/clusterroles`, CRDS];
    const watches = await Promise.all(paths.map((path) => watching(before, path)));
    await Promise.all(watches.map((watch) => watch.until('ashes')));
    const other = await watching(acme.facts, '/api/v1/namespaces');

    await host.send('DELETE', `${TENANTS}/phoenix`);
    await eventually(
      'the tenant is gone',
      async () => (await host.send('GET', `${TENANTS}/phoenix`)).status === 404,
      SOON_MS,
    );
    const after = await tenantOf('phoenix');
    expect(after.uid).not.toBe(before.uid);
    await make(after, '/api/v1/namespaces', namespace('web'));
    await fill(after, 'feather');
    // The new one sees what it made, so the host has told everybody of it.
    const own = await Promise.all(paths.map((path) => watching(after, path)));
    await Promise.all(own.map((watch) => watch.until('feather')));

    await Promise.all(watches.map(whenEnded));
    for (const watch of watches) expect(watch.text).not.toContain('feather');
    expect((await send(before, 'GET', SECRETS)).status).toBe(401);
    await expectAudited('tenant-not-active', 'secrets');

    await make(acme.facts, '/api/v1/namespaces', namespace('phoenix-twin'));
    await other.until('phoenix-twin');
    await host.send('DELETE', `${TENANTS}/phoenix`);
  });
});

describe('watches of a tenant that is suspended', () => {
  it('end, and begin again when it is back', async () => {
    const tenant = await tenantOf('sleeper');
    const watch = await watching(tenant, '/api/v1/namespaces');
    const other = await watching(acme.facts, '/api/v1/namespaces');
    const suspend = (suspended: boolean) =>
      host.send('PATCH', `${TENANTS}/sleeper`, { spec: { suspended } }, 'application/merge-patch+json');
    await suspend(true);
    await whenEnded(watch);
    expect((await send(tenant, 'GET', '/api/v1/namespaces')).status).toBe(403);
    await expectAudited('tenant-not-active', 'namespaces');

    await suspend(false);
    await eventually(
      'it is served again',
      async () => (await send(tenant, 'GET', '/api/v1/namespaces')).status === 200,
    );
    const again = await watching(tenant, '/api/v1/namespaces');
    await make(tenant, '/api/v1/namespaces', namespace('awake'));
    await again.until('awake');
    await make(acme.facts, '/api/v1/namespaces', namespace('sleeper-twin'));
    await other.until('sleeper-twin');
    await host.send('DELETE', `${TENANTS}/sleeper`);
  });
});

/** A namespace of acme's with an account that may read Secrets in it, and the account's token. */
async function withReader(where: string): Promise<{ path: string; token: string; binding: string }> {
  const path = `/api/v1/namespaces/${where}`;
  const binding = `${RBAC}/namespaces/${where}/rolebindings`;
  await make(acme.facts, '/api/v1/namespaces', namespace(where));
  await make(acme.facts, `${path}/serviceaccounts`, account('reader'));
  await make(acme.facts, binding, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'reader' },
    // Holds Secrets too.
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: where }],
  });
  const { status } = await make(acme.facts, `${path}/serviceaccounts/reader/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  });
  return { path, token: status.token, binding: `${binding}/reader` };
}

describe('the watch of a service account', () => {
  it('ends when its RoleBinding goes, not when another goes', async () => {
    const { path, token, binding } = await withReader('revoked-role');
    const twin = await withReader('revoked-role-twin');
    const [watch, other] = [await watching({ token }, `${path}/secrets`), await watching(twin, `${twin.path}/secrets`)];
    await make(acme.facts, `${path}/secrets`, secret('seen'));
    await watch.until('seen');
    expect((await send(acme.facts, 'DELETE', binding)).status).toBe(200);
    await whenEnded(watch);
    expect((await send({ token }, 'GET', `${path}/secrets`)).status).toBe(403);
    await expectAudited('rbac', 'secrets');
    await make(acme.facts, `${twin.path}/secrets`, secret('delivered'));
    await other.until('delivered');
  });

  it('ends when the account goes, also when one of its name comes back', async () => {
    const { path, token } = await withReader('revoked-account');
    const twin = await withReader('revoked-account-twin');
    const [watch, other] = [await watching({ token }, `${path}/secrets`), await watching(twin, `${twin.path}/secrets`)];
    await make(acme.facts, `${path}/secrets`, secret('seen'));
    await watch.until('seen');
    expect((await send(acme.facts, 'DELETE', `${path}/serviceaccounts/reader`)).status).toBe(200);
    await make(acme.facts, `${path}/serviceaccounts`, account('reader'));
    await whenEnded(watch);
    expect((await send({ token }, 'GET', `${path}/secrets`)).status).toBe(401);
    await expectAudited('token-revoked', 'secrets');
    await make(acme.facts, `${twin.path}/secrets`, secret('delivered'));
    await other.until('delivered');
  });
});
