import { beforeEach, describe, expect, it } from 'vitest';
import { NonResourceHost } from '../../test/support/nonresource-host.ts';
import type { Scripted } from '../../test/support/scripted-upstream.ts';
import type { JsonObject } from '../k8s/types.ts';

const GVK = 'x-kubernetes-group-version-kind';
const notFound = expect.objectContaining({ status: 404, message: 'the server could not find the requested resource' });

/** Of each version, with what tells it in a media type. */
const DOCUMENTS = [
  ['v2', '/openapi/v2'],
  ['v3', '/openapi/v3/api/v1'],
] as const;

let host: NonResourceHost;
beforeEach(() => {
  host = new NonResourceHost();
});

async function tagOf(target: string, who = 'acme'): Promise<string> {
  const reply = await host.ask(target, { who });
  return 'headers' in reply ? String(reply.headers?.['etag']) : '';
}

describe('OpenAPI v3', () => {
  it('has documents of what the tenant has, by hashes of its own', async () => {
    const { paths } = await host.object('/openapi/v3');
    expect(Object.keys(paths as JsonObject)).toEqual(['api/v1', 'apis/apps/v1', 'apis/stable.example.com/v1']);
    const urls = Object.entries(paths as Record<string, JsonObject>).map(([path, entry]) => {
      const [url, hash] = String(entry['serverRelativeURL']).split('?hash=');
      expect(url).toBe(`/openapi/v3/${path}`);
      return hash;
    });
    expect(urls.every((hash) => /^[0-9A-F]{128}$/.test(hash ?? ''))).toBe(true);
    const other = (await host.object('/openapi/v3', { who: 'initech' }))['paths'] as JsonObject;
    expect(other['api/v1']).not.toEqual((paths as JsonObject)['api/v1']);
  });

  it('has a custom group in the terms of its tenant', async () => {
    const document = await host.object('/openapi/v3/apis/stable.example.com/v1');
    expect(Object.keys(document['paths'] as JsonObject)).toEqual([
      '/apis/stable.example.com/v1/namespaces/{namespace}/foos/{name}',
    ]);
    expect(document['components']).toEqual({
      schemas: {
        'com.example.stable.v1.Foo': { [GVK]: [{ group: 'stable.example.com', kind: 'Foo', version: 'v1' }] },
      },
    });
    expect(JSON.stringify(document)).not.toContain('acme');
  });

  it('has of a group of the host only the paths that the tenant has', async () => {
    const document = await host.object('/openapi/v3/api/v1');
    expect(Object.keys(document['paths'] as JsonObject)).toEqual(['/api/v1/pods']);
  });

  it.each([
    '/openapi/v3/apis/host-only.example.com/v1',
    '/openapi/v3/apis/acme--stable.example.com/v1',
    '/openapi/v3/apis/globex--stable.example.com/v1',
    '/openapi/v3/version',
    '/openapi/v3/api/v2',
    '/openapi/v3x',
    '/openapi/v3/',
    '/openapi/v2/',
  ])('has no %s, and does not ask for it', async (target) => {
    await expect(host.ask(target)).rejects.toThrow(notFound);
    expect(host.upstream.texts()).toEqual([]);
  });

  it('is unavailable where the host does not tell', async () => {
    host.answers.set('/openapi/v3', { status: 500, body: { kind: 'Status', message: 'secret of the host' } });
    const error = await host.ask('/openapi/v3').catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ status: 503 });
    expect(String(error)).not.toContain('secret of the host');
  });
});

describe('a document of OpenAPI v3', () => {
  const path = '/openapi/v3/apis/stable.example.com/v1';
  const listed = async (who: string) => {
    const { paths } = await host.object('/openapi/v3', { who });
    return String(((paths as JsonObject)['apis/stable.example.com/v1'] as JsonObject)['serverRelativeURL']);
  };

  it('is found under the hash that the index tells, for good', async () => {
    const url = await listed('acme');
    const etag = await tagOf(path);
    expect(url).toBe(`${path}?hash=${etag.replaceAll('"', '')}`);
    const reply = await host.ask(url);
    expect(reply).toMatchObject({
      status: 200,
      headers: { etag, vary: 'Accept', 'cache-control': 'public, immutable' },
    });
    expect(await host.ask(path, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304 });
  });

  it('is elsewhere once it has changed, or for another tenant', async () => {
    const answer = await host.ask(`/tenants/acme${path}?hash=${'A'.repeat(128)}`);
    expect(answer).toMatchObject({ status: 301, headers: { location: `/tenants/acme${await listed('acme')}` } });
    expect(await host.ask(`${path}?hash=A`)).toMatchObject({
      status: 301,
      headers: { location: await listed('acme') },
    });
  });

  it('has a tag of its own in the index', async () => {
    const etag = await tagOf('/openapi/v3');
    expect(await host.ask('/openapi/v3', { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304 });
    expect(await tagOf('/openapi/v3', 'globex')).not.toBe(etag);
  });
});

describe('OpenAPI v2', () => {
  it('is one document of what the tenant has', async () => {
    const document = await host.object('/openapi/v2');
    expect(Object.keys(document['paths'] as JsonObject)).toEqual([
      '/api/v1/namespaces/{namespace}/pods/{name}',
      '/apis/stable.example.com/v1/namespaces/{namespace}/foos/{name}',
    ]);
    expect(Object.keys(document['definitions'] as JsonObject)).toEqual([
      'io.k8s.api.core.v1.Pod',
      'com.example.stable.v1.Foo',
    ]);
    expect(JSON.stringify(document)).not.toMatch(/acme|globex|host-only/);
  });

  it.each([
    ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', true],
    ['application/com.github.proto-openapi.spec.v2.v1.0+protobuf, application/json', true],
    ['application/json', false],
    ['*/*', false],
    ['text/html, application/*', false],
    ['', false],
    [undefined, false],
  ])('is protobuf for %s: %s', async (accept, isProtobuf) => {
    for (const [version, path] of DOCUMENTS) {
      const asked = accept?.replace('v2', version);
      const reply = await host.ask(path, { headers: asked === undefined ? {} : { accept: asked } });
      if (reply.kind !== 'bytes') throw new Error(`it was answered with ${reply.kind}`);
      const type = isProtobuf ? `com.github.proto-openapi.spec.${version}.v1.0+protobuf` : 'json';
      expect(reply).toMatchObject({ status: 200, contentType: `application/${type}`, headers: { vary: 'Accept' } });
    }
  });

  it.each(['text/html', 'application/vnd.kubernetes.protobuf', 'text/*'])('is none for %s', async (accept) => {
    for (const [, path] of DOCUMENTS) {
      const reply = await host.ask(path, { headers: { accept } });
      expect(reply).toMatchObject({ status: 406, contentType: undefined, headers: { vary: 'Accept' } });
      if (reply.kind === 'bytes') expect(reply.bytes).toHaveLength(0);
    }
  });

  it('has a tag of its own contents, and is not sent to who has it', async () => {
    const etag = await tagOf('/openapi/v2');
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(await tagOf('/openapi/v2', 'globex')).not.toBe(etag);
    const again = await host.ask('/openapi/v2', { headers: { 'if-none-match': etag } });
    expect(again).toMatchObject({ kind: 'bytes', status: 304 });
    expect(await host.ask('/openapi/v2', { headers: { 'if-none-match': '"other"' } })).toMatchObject({ status: 200 });
  });

  it('is read of the host once, and asked for each time', async () => {
    const document = host.answers.get('/openapi/v2');
    host.answers.set('/openapi/v2', { ...(document as Scripted), headers: { etag: '"H1"' } });
    const first = await host.object('/openapi/v2');
    host.answers.set('/openapi/v2', { status: 304, body: {} });
    expect(await host.object('/openapi/v2')).toEqual(first);
    expect(host.upstream.requests.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, '"H1"']);
    const changed = { swagger: '2.0', paths: {}, definitions: { 'io.k8s.api.core.v1.New': {} } };
    host.answers.set('/openapi/v2', { status: 200, headers: { etag: '"H2"' }, body: changed });
    expect(await host.object('/openapi/v2')).toEqual(changed);
  });

  it('has the same tag while nothing of the tenant has changed', async () => {
    const before = await tagOf('/openapi/v2');
    const { body } = host.answers.get('/openapi/v2') as { body: JsonObject };
    const definitions = { ...(body['definitions'] as JsonObject), 'com.example.globex--stable.v1.New': {} };
    host.answers.set('/openapi/v2', { status: 200, headers: { etag: '"H3"' }, body: { ...body, definitions } });
    expect(await tagOf('/openapi/v2')).toBe(before);
  });
});
