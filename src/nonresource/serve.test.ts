import { beforeEach, describe, expect, it } from 'vitest';
import { type Asked, NonResourceHost } from '../../test/support/nonresource-host.ts';
import type { JsonObject } from '../k8s/types.ts';

const AGGREGATED: Asked['as'] = { kind: 'APIGroupDiscoveryList', group: 'apidiscovery.k8s.io', version: 'v2' };
const notFound = expect.objectContaining({ status: 404, message: 'the server could not find the requested resource' });

let host: NonResourceHost;
beforeEach(() => {
  host = new NonResourceHost();
});

describe('discovery', () => {
  it('has the groups that the tenant has, and its own', async () => {
    const names = ({ groups }: JsonObject) => (groups as JsonObject[]).map(({ name }) => name);
    expect(names(await host.object('/apis'))).toEqual(['apps', 'stable.example.com']);
    expect(await host.object('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect(names(await host.object('/apis', { who: 'initech' }))).toEqual(['apps']);
  });

  it('has in a group what both the host and the table have', async () => {
    const { resources } = await host.object('/api/v1');
    const seen = (resources as JsonObject[]).map(({ name, verbs }) => [name, verbs]);
    expect(seen).toEqual([
      ['pods', ['get', 'list', 'delete']],
      ['pods/status', ['get']],
    ]);
  });

  it('has custom kinds by the names that their tenant gave them', async () => {
    const foo = { name: 'foos', singularName: 'foo', kind: 'Foo', shortNames: ['fo'], namespaced: true };
    expect((await host.object('/apis/stable.example.com/v1'))['resources']).toMatchObject([
      foo,
      { name: 'foos/status' },
    ]);
    const others = (await host.object('/apis/stable.example.com/v1', { who: 'globex' }))['resources'] as JsonObject[];
    expect(others.map(({ name }) => name)).toEqual(['bars', 'bars/status']);
  });

  it('is aggregated for who asks so', async () => {
    const document = await host.object('/apis', { as: AGGREGATED });
    expect(document).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      items: [{ metadata: { name: 'apps' } }, { metadata: { name: 'stable.example.com' } }],
    });
    expect(JSON.stringify(document)).not.toContain('acme');
  });

  it('is not sent again to who has it, and by a tag of the tenant', async () => {
    const first = await host.ask('/apis', { as: AGGREGATED });
    const etag = String(first.headers?.['etag']);
    const again = { as: AGGREGATED, headers: { 'if-none-match': etag } };
    expect(await host.ask('/apis', again)).toMatchObject({ kind: 'bytes', status: 304 });
    expect(await host.ask('/apis', { ...again, who: 'initech' })).toMatchObject({ kind: 'object', status: 200 });
  });

  it.each([
    '/apis/host-only.example.com',
    '/apis/host-only.example.com/v1',
    '/apis/acme--stable.example.com',
    '/apis/acme--stable.example.com/v1',
    '/apis/virtual.kubeveil.dev',
    '/apis/apps/v2',
    '/api/v2',
  ])('has no %s', async (target) => {
    await expect(host.ask(target)).rejects.toThrow(notFound);
  });

  it('asks the host nothing', async () => {
    for (const target of ['/api', '/apis', '/api/v1', '/apis/apps', '/', '/healthz'])
      await host.object(target).catch(() => {});
    expect(host.upstream.texts()).toEqual([]);
  });
});

describe('other paths', () => {
  it('are the version of the host, a list of paths, and health', async () => {
    expect(await host.object('/version')).toMatchObject({ gitVersion: 'v1.36.3' });
    expect(await host.object('/')).toEqual({
      paths: [
        '/.well-known/openid-configuration',
        '/api',
        '/apis',
        '/healthz',
        '/livez',
        '/openapi/v2',
        '/openapi/v3',
        '/openid/v1/jwks',
        '/readyz',
        '/version',
      ],
    });
    for (const path of ['/readyz', '/readyz/informer-sync', '/livez/ping'])
      expect(await host.ask(`/tenants/acme${path}`)).toMatchObject({ kind: 'bytes', status: 200 });
  });

  it('are read as the reader, never as the tenant', async () => {
    for (const target of ['/version', '/openapi/v2', '/openapi/v3']) await host.object(target);
    expect(host.upstream.requests.map(({ identity }) => identity)).toEqual(Array(3).fill({ as: 'reader' }));
  });

  it.each(['/metrics', '/logs', '/debug/pprof', '/openid/v1', '/.well-known', '/readyz/etcd'])(
    'are not served: %s',
    async (target) => {
      await expect(host.ask(target)).rejects.toThrow(notFound);
      expect(host.upstream.texts()).toEqual([]);
    },
  );

  it.each(['POST', 'PUT', 'DELETE'])('are not to be written by %s', async (method) => {
    await expect(host.ask('/version', { method })).rejects.toThrow(expect.objectContaining({ status: 405 }));
    for (const path of ['/', '/apis', '/apis/apps', '/openapi/v3', '/healthz']) {
      await expect(host.ask(path, { method: 'HEAD' })).resolves.toMatchObject({ status: 200 });
    }
    for (const path of ['/api', '/api/v1', '/apis/apps/v1', '/version']) {
      await expect(host.ask(path, { method: 'HEAD' })).rejects.toMatchObject({ code: 'ERR_METHOD_NOT_ALLOWED' });
    }
  });
});
