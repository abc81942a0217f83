/**
 * Bad input of every sort: each is answered with a Kubernetes `Status` of the right code and reason, in the tenant's
 * terms, and leaves nothing half-written. That the process lives on is shown at the end of the file by `useProduct`.
 */
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { issueClient } from '../../../src/pki/certificates.ts';
import { expectStatus, type KubeObject, type SendOptions, useProduct } from '../../support/as-tenant.ts';
import { cli, runCli } from '../../support/cli.ts';
import { requestOnce } from '../../support/http.ts';

const { acme, globex, host, facts } = useProduct();
const { adminKubeconfigPath, adminCertPem, adminKeyPem } = inject('controlPlane');
const NAMESPACE = 'bad-input';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
/** Without the certificate that requests have by default. */
const BARE: SendOptions = { certPem: undefined, keyPem: undefined };

beforeAll(async () => void (await acme.kubectl(`create namespace ${NAMESPACE}`)));

async function storedMaps(): Promise<string[]> {
  const { items } = await acme.json(`${MAPS}?labelSelector=bad`);
  return items.map(({ metadata }: KubeObject) => metadata.name);
}

async function accountToken(tenant: typeof acme): Promise<string> {
  return await tenant.kubectl('create token default -n default');
}

describe('an unknown kind', () => {
  it.each([
    '/api/v1/nosuchthings',
    '/api/v2/pods',
    `/api/v1/namespaces/${NAMESPACE}/nosuchthings/a`,
    '/apis/apps/v9/deployments',
    '/apis/no.such.group/v1',
    '/apis/no.such.group/v1/things',
    '/api/v1/pods/status/too/deep',
    '/nosuchpath',
  ])('%s is 404', async (path) => {
    expectStatus(await acme.send(path), 404, 'NotFound');
  });

  it('in a body is refused by its URL', async () => {
    const object = { apiVersion: 'v1', kind: 'NoSuch', metadata: { name: 'a', labels: { bad: '' } } };
    const answer = await acme.write('POST', MAPS, object);
    expect(answer).toMatchObject({ status: 400, object: { kind: 'Status', reason: 'BadRequest' } });
    expect(await storedMaps()).toEqual([]);
  });

  it('has no subresource, and no verb that it lacks', async () => {
    expectStatus(await acme.send(`${MAPS}/a/nosuch`), 404, 'NotFound');
    expectStatus(await acme.send('/api/v1/nodes', { method: 'POST', body: '{}' }), 405, 'MethodNotAllowed');
  });

  it('is told by kubectl in the words of a plain cluster', async () => {
    expect(await acme.refused('get nosuchthings')).toBe(
      'error: the server doesn\'t have a resource type "nosuchthings"',
    );
  });
});

describe('a tenant id', () => {
  it.each(['Acme', 'a', 'acme--x', 'acme_x', '9acme', 'kube-acme', 'system', 'x'.repeat(21)])(
    '%s is refused',
    async (id) => {
      const { code, stderr } = await runCli(['tenant', 'create', id, '--kubeconfig', adminKubeconfigPath]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^kubeveil: tenant id /);
      const tenant = { apiVersion: 'kubeveil.dev/v1alpha1', kind: 'Tenant', metadata: { name: id } };
      const { status } = await host.send('POST', '/apis/kubeveil.dev/v1alpha1/tenants', tenant);
      // Past the command line: the host's definition of tenants refuses it, or the controller never lets it become active.
      if (status === 201) await host.send('DELETE', `/apis/kubeveil.dev/v1alpha1/tenants/${id}`);
      expect([201, 422]).toContain(status);
    },
  );

  it('in use is refused, and the tenant stays as it is', async () => {
    const { code, stderr } = await runCli(['tenant', 'create', 'acme', '--kubeconfig', adminKubeconfigPath]);
    expect(code).toBe(1);
    expect(stderr).toContain('tenant acme exists already; choose another id');
    const listed = JSON.parse(await cli(['tenant', 'list', '-o', 'json', '--kubeconfig', adminKubeconfigPath]));
    const acmes = listed.filter(({ metadata }: KubeObject) => metadata.name === 'acme');
    expect(acmes.map(({ metadata }: KubeObject) => metadata.uid)).toEqual([acme.facts.uid]);
  });
});

describe('a name that is too long', () => {
  it('is refused with the limit and the length', async () => {
    const longest = 63 - 'acme--'.length;
    const namespace = (length: number) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'n'.repeat(length) },
    });
    const refused = await acme.write('POST', '/api/v1/namespaces', namespace(longest + 1));
    expect(refused).toMatchObject({ status: 422, object: { kind: 'Status', reason: 'Invalid' } });
    expect(refused.object.message).toContain(
      `must be no more than ${longest} characters in this cluster, has ${longest + 1}`,
    );
    expect((await acme.send(`/api/v1/namespaces/${'n'.repeat(longest + 1)}`)).status).toBe(404);
    expect(await acme.write('POST', '/api/v1/namespaces', namespace(longest))).toMatchObject({ status: 201 });
  });

  it('is refused as a base of generated names before it is cut', async () => {
    const object = (length: number) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { generateName: 'g'.repeat(length) },
    });
    const refused = await acme.write('POST', '/api/v1/namespaces', object(58));
    expect(refused).toMatchObject({ status: 422, object: { reason: 'Invalid' } });
    expect(refused.object.message).toContain('metadata.generateName');
    const made = await acme.write('POST', '/api/v1/namespaces', object(20));
    expect(made.object.metadata.name).toMatch(/^g{20}\w{5}$/);
  });
});

describe('a credential', () => {
  const path = '/api/v1/namespaces';

  it('of the right tenant is served: the twin of what follows', async () => {
    expect((await acme.send(path)).status).toBe(200);
    expect((await acme.send(path, { ...BARE, token: await accountToken(acme) })).status).toBe(403);
  });

  it('that is missing is 401', async () => {
    expectStatus(await acme.send(path, BARE), 401, 'Unauthorized');
    expectStatus(await acme.send('/apis', BARE), 401, 'Unauthorized');
  });

  it.each(['', 'Bearer', 'Bearer ', 'bearer\tx', 'Basic YWRtaW46YWRtaW4=', 'Bearer a b', 'Token x', 'Bearer x'])(
    'of the form "%s" is 401',
    async (authorization) => {
      expectStatus(await acme.send(path, { ...BARE, headers: { authorization } }), 401, 'Unauthorized');
    },
  );

  it('of another CA is 401', async () => {
    const ofHost = { certPem: adminCertPem, keyPem: adminKeyPem };
    expectStatus(await acme.send(path, ofHost), 401, 'Unauthorized');
  });

  it('that has expired is 401', async () => {
    const { caCertPem: certPem, caKeyPem: keyPem } = acme.facts;
    const issued = (ttlMs: number) =>
      issueClient({ certPem, keyPem }, { user: 'admin', groups: ['system:masters'], ttlMs });
    const status = expectStatus(await acme.send(path, await issued(-60_000)), 401, 'Unauthorized');
    expect(status.message).toContain('expired');
    expect((await acme.send(path, await issued(60_000))).status).toBe(200);
  });

  it('of globex reaches globex only, whatever the path says', async () => {
    const { certPem, keyPem } = globex.facts;
    const typed = ['acme', 'globex'];
    const answer = await acme.send('/tenants/acme/api/v1/namespaces', { certPem, keyPem, typed });
    expect([401, 403, 404]).toContain(answer.status);
    expect((await acme.send('/tenants/acme/api/v1/namespaces', { typed })).status).toBe(200);
  });

  it('for the host\u2019s own audience is 401', async () => {
    const kind = 'TokenRequest';
    const request = { apiVersion: 'authentication.k8s.io/v1', kind, spec: { expirationSeconds: 600 } };
    const upstream = '/api/v1/namespaces/acme--default/serviceaccounts/default/token';
    const { body } = await host.send('POST', upstream, request);
    const token = (body as KubeObject).status.token;
    expectStatus(await acme.send(path, { ...BARE, token }), 401, 'Unauthorized');
  });

  it('and another that disagrees are 401', async () => {
    expectStatus(await acme.send(path, { token: await accountToken(globex) }), 401, 'Unauthorized');
    expectStatus(await acme.send(path, { token: await accountToken(acme) }), 401, 'Unauthorized');
    expectStatus(await acme.send(path, { headers: { authorization: 'Bearer x' } }), 401, 'Unauthorized');
  });

  it('of somebody else gives what that user may in this tenant: nothing, to a stranger', async () => {
    const headers = { 'Impersonate-User': 'kubeveil:globex' };
    expectStatus(await acme.send(path, { headers, typed: ['kubeveil:globex'] }), 403, 'Forbidden');
  });

  it.each([
    ['Impersonate-Group', 'system:masters'],
    ['Impersonate-Uid', 'x'],
    ['Impersonate-Extra-Kubeveil.dev%2Fuser', 'x'],
  ])('of nobody cannot be put on: %s', async (name, value) => {
    expectStatus(await acme.send(path, { headers: { [name]: value }, typed: [value] }), 400, 'BadRequest');
  });
});

describe('a malformed request', () => {
  it.each([
    '//api/v1/pods',
    '/api//v1/pods',
    '/api/v1/../v1/pods',
    '/api/v1/./pods',
    '/api/v1/namespaces/a%2fb/pods',
    '/api/v1/namespaces/a%2Fb/pods',
    '/api/v1/namespaces/a;b/pods',
    '/api/v1/%6eamespaces',
    '/api/v1/namespaces/%00/pods',
    '/api/v1/namespaces/%zz',
    '/api/v1/pods?limit=1&limit=2',
    '/api/v1/pods?labelSelector=a%zz',
    '/api/v1/pods?a;b',
  ])('with the URL %s is 400', async (path) => {
    expectStatus(await acme.send(path), 400, 'BadRequest');
  });

  it.each([
    ['cut off', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"'],
    ['no JSON', 'hello'],
    ['an array', '[]'],
    ['a number', '1'],
    ['empty', ''],
    ['two documents', '{"metadata":{"name":"a"}}{"metadata":{"name":"b"}}'],
    ['with NUL', '{"metadata":{"name":"a\u0000"}}'],
    ['very deep', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ])('with a body that is %s is refused', async (_what, body) => {
    const answer = await acme.send(MAPS, { method: 'POST', body });
    expect([400, 422]).toContain(answer.status);
    expectStatus(answer, answer.status, answer.status === 400 ? 'BadRequest' : 'Invalid');
    expect(await storedMaps()).toEqual([]);
  });

  it('with an unknown type of body is 415, and of answer 406', async () => {
    const headers = { 'content-type': 'text/plain' };
    expectStatus(await acme.send(MAPS, { method: 'POST', body: 'a', headers }), 415, 'UnsupportedMediaType');
    expectStatus(await acme.send(MAPS, { headers: { accept: 'image/png' } }), 406, 'NotAcceptable');
  });

  it.each(['fieldSelector=no', 'labelSelector=a==b==c', 'limit=many', 'resourceVersion=x', 'continue=x'])(
    'with the parameter %s is 400',
    async (query) => {
      const { status, text } = await acme.send(`${MAPS}?${query}`);
      expect({ query, status, isStatus: text.includes('"Status"') }).toEqual({ query, status: 400, isStatus: true });
    },
  );

  it('of a method that Kubernetes has no use for is 405', async () => {
    expectStatus(await acme.send(MAPS, { method: 'TRACE' }), 405, 'MethodNotAllowed');
    expectStatus(await acme.send(MAPS, { method: 'PROPFIND' }), 405, 'MethodNotAllowed');
  });
});

describe('a body that is too large', () => {
  const object = (bytes: number) =>
    JSON.stringify({ metadata: { name: 'large', labels: { bad: '' } }, data: { a: 'x'.repeat(bytes) } });

  it('is 413, and nothing of it is stored', async () => {
    const answer = await acme.send(MAPS, { method: 'POST', body: object(3 * 1024 * 1024) });
    expectStatus(answer, 413, 'RequestEntityTooLarge');
    expect(await storedMaps()).toEqual([]);
  });

  it('for the object, but not for the proxy, is refused by the host in its words', async () => {
    const answer = await acme.send(MAPS, { method: 'POST', body: object(1_100_000) });
    expectStatus(answer, 422, 'Invalid');
    expect(await storedMaps()).toEqual([]);
    expect((await acme.send(MAPS, { method: 'POST', body: object(900_000) })).status).toBe(201);
    expect(await storedMaps()).toEqual(['large']);
  });

  it('is not unpacked to become so', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expectStatus(await acme.send(MAPS, { method: 'POST', body: 'x', headers }), 415, 'UnsupportedMediaType');
  });
});

describe('what is refused', () => {
  it('costs others nothing: globex is served meanwhile', async () => {
    const bad = Array.from({ length: 50 }, () => requestOnce({ ...facts, path: '//', timeoutMs: 60_000 }));
    const good = await globex.send('/api/v1/namespaces');
    expect(good.status).toBe(200);
    for (const { status } of await Promise.all(bad)) expect(status).toBe(400);
  });
});
