/**
 * The second wall. First the host alone: a request under acme's name that nobody translated, as a bug in the proxy would
 * send it, is refused by the host wherever it is not acme's. Then the whole proxy with the translation of names switched
 * off: nothing of globex comes out and nothing changes.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RunningProxy, startProxy } from '../../src/app/app.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { setLogLevel } from '../../src/observe/log.ts';
import { loadPolicies } from '../../src/policy/load.ts';
import type { UpstreamIdentity } from '../../src/ports.ts';
import type { TenantNames } from '../../src/tenancy/names.ts';
import { accountTokens } from '../../src/upstream/credentials.ts';
import { readKubeconfig } from '../../src/upstream/host-connection.ts';
import { createUpstream } from '../../src/upstream/upstream.ts';
import { servedKinds } from '../support/api.ts';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { expectHostUnchanged } from '../support/host-diff.ts';
import { ADVERTISED, POD_DNS, proxyKubeconfigPath } from '../support/product.ts';
import { samples } from '../support/samples.ts';
import { CANARY, HOST_NAMESPACE } from '../support/seed-words.ts';

const { acme, globex, host, facts } = useProduct();
const FOREIGN = 'globex--web';
const OWN = 'acme--wall';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

const kinds = await servedKinds((path, accept) => acme.json(path, { headers: { accept } }));
const namespaced = kinds
  // Groups of acme's own, which other tests make, are called otherwise on the host.
  .filter(({ namespaced, verbs, group }) => namespaced && verbs.includes('list') && !group.endsWith('.example.com'))
  .map((kind) => ({ name: `${kind.group}/${kind.version}/${kind.resource}`, kind }));

const connection = readKubeconfig(proxyKubeconfigPath(inject('controlPlane')));
const base = createUpstream(connection);
const credentials = accountTokens({ base: (request) => base.request({ ...request, identity: { as: 'provisioner' } }) });
const upstream = createUpstream({ server: connection.server, caPem: connection.caPem, credentials });

const ACME = {
  as: 'tenant',
  tenant: acme.id,
  user: { username: 'admin', groups: ['system:masters'], uid: '', extra: {} },
} as unknown as UpstreamIdentity;

afterAll(async () => {
  await upstream.close();
  await base.close();
});

interface Sent {
  readonly status: number;
  readonly object: KubeObject;
}

/** Straight to the host, as the proxy sends what it has translated. */
async function send(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  contentType = 'application/json',
): Promise<Sent> {
  const [plain = '', query = ''] = path.split('?');
  const answer = await upstream.request({
    identity: ACME,
    method,
    path: plain,
    query: [...new URLSearchParams(query)],
    ...(body === undefined ? {} : { body: JSON.stringify(body), contentType }),
  });
  const text = Buffer.from(answer.body).toString('utf8');
  return { status: answer.status, object: text.startsWith('{') ? JSON.parse(text) : text };
}

async function expectRefused(...request: Parameters<typeof send>): Promise<void> {
  const { status, object } = await send(...request);
  const what = `${request[0]} ${request[1]}`;
  expect({ what, status, reason: object.reason }).toEqual({ what, status: 403, reason: 'Forbidden' });
  // Either acme may not, or the proxy's own account may not even ask in acme's name.
  expect(object.message).toMatch(
    /User "(kubeveil:acme|system:serviceaccount:kubeveil-system:kubeveil-datapath)" cannot/,
  );
}

describe('the host refuses acme', () => {
  it.each(namespaced)('$name in the namespace of another tenant', async ({ kind }) => {
    const collection = kind.collection(FOREIGN);
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    const object = { apiVersion, kind: kind.kind, metadata: { name: 'a' } };
    const one = `${collection}/${CANARY}-sample`;
    await expectRefused('GET', one);
    await expectRefused('GET', collection);
    await expectRefused('GET', kind.collection());
    await expectRefused('GET', `${collection}?watch=true&timeoutSeconds=1`);
    await expectRefused('POST', collection, object);
    await expectRefused('PUT', one, object);
    await expectRefused('DELETE', one);
    await expectRefused('DELETE', collection);
    for (const type of ['merge-patch+json', 'json-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']) {
      const query = type.startsWith('apply') ? '?fieldManager=acme' : '';
      await expectRefused('PATCH', one + query, type.startsWith('json') ? [] : object, `application/${type}`);
    }
    for (const subresource of kind.subresources) await expectRefused('GET', `${one}/${subresource}`);
  });

  it.each(['kubeveil-system', 'kube-system', 'default', HOST_NAMESPACE])('everything in %s', async (namespace) => {
    for (const { kind } of namespaced) {
      await expectRefused('GET', kind.collection(namespace));
      await expectRefused('DELETE', kind.collection(namespace));
    }
  });

  it('what is above namespaces', async () => {
    for (const path of [
      '/api/v1/namespaces',
      '/api/v1/nodes',
      `${RBAC}/clusterroles`,
      '/apis/kubeveil.dev/v1alpha1/tenants',
    ]) {
      await expectRefused('GET', path);
    }
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'acme--own' } };
    await expectRefused('POST', '/api/v1/namespaces', namespace);
    await expectRefused('DELETE', `/api/v1/namespaces/${FOREIGN}`);
    const native = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'acme--x' } };
    await expectRefused('POST', `${RBAC}/clusterroles`, native);
  });

  it('virtual cluster roles under another name than its own', async () => {
    const path = '/apis/virtual.kubeveil.dev/v1/clusterroles';
    const role = (name: string, tenant: string) => ({
      apiVersion: 'virtual.kubeveil.dev/v1',
      kind: 'ClusterRole',
      metadata: { name, labels: { 'kubeveil.dev/tenant': tenant } },
      rules: [],
    });
    for (const [name, tenant] of [
      ['globex--mine', 'globex'],
      ['globex--mine', 'acme'],
      ['acme--mine', 'globex'],
      ['mine', 'acme'],
    ] as const) {
      const { status } = await send('POST', path, role(name, tenant));
      expect({ name, tenant, refused: status === 403 || status === 422 }).toEqual({ name, tenant, refused: true });
    }
    expect((await send('POST', path, role('acme--wall-role', 'acme'))).status).toBe(201);
    const foreign = `${path}/globex--${CANARY}-reader`;
    expect([403, 422]).toContain((await send('DELETE', foreign)).status);
    expect([403, 422]).toContain((await send('PATCH', foreign, { rules: [] }, 'application/merge-patch+json')).status);
    expect((await send('DELETE', `${path}/acme--wall-role`)).status).toBe(200);
    expect(await globex.kubectl(`get clusterrole ${CANARY}-reader -o name`)).toContain(CANARY);
  });
});

describe('the host allows acme', () => {
  beforeAll(() => acme.kubectl('create namespace wall'));

  it.each(namespaced)('$name in a namespace of its own', async ({ kind }) => {
    const collection = kind.collection(OWN);
    expect((await send('GET', collection)).status).toBe(200);
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    const sample = samples(OWN).find((one) => one['kind'] === kind.kind && one['apiVersion'] === apiVersion);
    // Subjects that are not inert meet a wall of their own.
    if (sample === undefined || kind.resource === 'rolebindings') return;
    const made = await send('POST', collection, sample);
    expect({ status: made.status, refused: made.object.reason === 'Forbidden' }).toEqual({
      status: 201,
      refused: false,
    });
    const one = `${collection}/${made.object.metadata.name}`;
    expect((await send('GET', one)).status).toBe(200);
    const label = { metadata: { labels: { a: 'b' } } };
    expect((await send('PATCH', one, label, 'application/merge-patch+json')).status).toBe(200);
    expect((await send('DELETE', one)).status).toBeLessThan(300);
  });
});

describe('the proxy without the translation of names', () => {
  let naive: RunningProxy;
  let server = '';

  beforeAll(async () => {
    setLogLevel('silent');
    const port = await choosePort(undefined, 'the port of the proxy without translation');
    server = `https://127.0.0.1:${port}`;
    naive = await startProxy(
      {
        host: connection,
        listen: { host: '127.0.0.1', port },
        // It must not make tenants come to itself.
        publicUrl: facts.server,
        policies: loadPolicies('policies'),
        // As the proxy under test: two that disagree would write over each other.
        pods: {
          api: { host: '127.0.0.1', port: Number(new URL(facts.server).port) },
          dns: { server: POD_DNS, suffix: SETTINGS.podDnsSuffix.default },
        },
        advertised: { addresses: [ADVERTISED.split(':')[0] as string], port: Number(ADVERTISED.split(':')[1]) },
      },
      {
        namesOf: ({ id }) =>
          ({ tenant: id, up: (name) => name as never, down: (name) => name as never }) as TenantNames,
      },
    );
    await naive.whenReady();
  });
  afterAll(async () => void (await naive?.close()));

  it('shows nothing of globex, and changes nothing', async () => {
    const options = { server, typed: [FOREIGN, CANARY, 'globex'] };
    await expectHostUnchanged(host, 'acme', async () => {
      for (const { kind } of namespaced) {
        const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
        const one = `${kind.collection(FOREIGN)}/${CANARY}-sample`;
        const read = await acme.send(kind.collection(FOREIGN), options);
        expect(read.text).not.toContain(CANARY);
        expect([403, 404]).toContain((await acme.send(one, options)).status);
        const object = { apiVersion, kind: kind.kind, metadata: { name: 'a' } };
        for (const [method, path, body] of [
          ['POST', kind.collection(FOREIGN), object],
          ['DELETE', one, {}],
          ['DELETE', kind.collection(FOREIGN), {}],
        ] as const) {
          const { status } = await acme.write(method, path, body, options);
          expect({ method, path, refused: status >= 400 }).toEqual({ method, path, refused: true });
        }
      }
    });
  });

  it('still serves acme in what is its own', async () => {
    // By the upstream name, since names are not mapped.
    const answer = await acme.send(`/api/v1/namespaces/${OWN}/serviceaccounts`, { server, typed: [OWN] });
    expect(answer.status).toBe(200);
  });
});
