import { describe, expect, it } from 'vitest';
import { kindAt, scopeOf } from '../../test/support/translate-scope.ts';
import { headOfOwn } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { UpstreamPassage, UpstreamPassed, UpstreamRequest } from '../ports.ts';
import { parseRequestInfo } from '../requestinfo/parse.ts';
import type { ConnectDeps } from './call.ts';
import { connect, connects } from './connect.ts';

interface Told {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Of the host, what a test says it answers. */
class Host {
  readonly passages: UpstreamPassage[] = [];
  readonly objects = new Map<string, JsonObject>();
  told: Told = {};
  state: 'ready' | 'absent' = 'ready';

  readonly deps: ConnectDeps = {
    upstream: {
      pass: async (passage): Promise<UpstreamPassed> => {
        this.passages.push(passage);
        const { status = 200, headers = {}, body = '' } = this.told;
        return { status, headers, chunks: pieces(body) };
      },
      request: async ({ path, query }: UpstreamRequest) => {
        const asked = `${new URLSearchParams(query as [string, string][])}`;
        const object = this.objects.get(asked === '' ? path : `${path}?${asked}`);
        const body = Buffer.from(JSON.stringify(object ?? { kind: 'Status', code: 404 }));
        return { status: object === undefined ? 404 : 200, headers: {}, body };
      },
    },
    namespaces: { state: () => this.state },
  };
}

async function* pieces(text: string): AsyncIterable<Uint8Array> {
  for (let at = 0; at < text.length; at += 9) yield Buffer.from(text.slice(at, at + 9));
}

async function send(host: Host, method: string, target: string, rawHeaders: string[] = []) {
  const info = parseRequestInfo(method, target);
  if (!info.isResource) throw new Error(`${target} names no resource`);
  const scope = scopeOf('acme');
  const at = kindAt(scope, `/${info.resource}`);
  const head = { ...headOfOwn({ id: 'id', method, target, signal: new AbortController().signal }), rawHeaders };
  const identity = { username: 'alice', groups: [], uid: '', extra: {} };
  const call = { info, at, head, scope, identity, tenant: scope.tenant, body: undefined, incoming: pieces('sent') };
  const reply = await connect(
    { ...call, accept: { media: 'json', as: undefined } },
    connects(call) ?? 'log',
    host.deps,
  );
  if (reply.kind !== 'stream') return { reply, text: '' };
  const read: Uint8Array[] = [];
  for await (const chunk of reply.chunks) read.push(chunk);
  return { reply, text: Buffer.concat(read).toString() };
}

const POD = '/api/v1/namespaces/web/pods/a:8080/proxy';
const UP = '/api/v1/namespaces/acme--web/pods/a:8080/proxy';

describe('HTTP of a pod', () => {
  it('goes on as it came, to the pod’s upstream path, as the tenant', async () => {
    const host = new Host();
    host.told = { headers: { 'content-type': 'text/plain' }, body: 'hello' };
    const { reply, text } = await send(host, 'PUT', `${POD}/x%20y/?q=1&q=2`, ['X-Own', '1', 'Cookie', 'a=b']);
    const [passage] = host.passages;
    expect(passage).toMatchObject({
      method: 'PUT',
      path: `${UP}/x%20y/`,
      rawQuery: 'q=1&q=2',
      headers: [['x-own', '1']],
    });
    expect(passage?.identity).toMatchObject({ as: 'tenant', tenant: 'acme' });
    const sent: Uint8Array[] = [];
    for await (const chunk of passage?.body ?? []) sent.push(chunk);
    expect(Buffer.concat(sent).toString()).toBe('sent');
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain' } });
    expect(text).toBe('hello');
  });

  it.each(['HEAD', 'OPTIONS'])('is asked by %s as by any method, without a body', async (method) => {
    const host = new Host();
    host.told = { headers: { 'content-length': '5', allow: 'GET' } };
    const { reply } = await send(host, method, `${POD}/x`);
    expect(host.passages).toMatchObject([{ method, path: `${UP}/x`, body: undefined }]);
    expect(reply).toMatchObject({ status: 200, headers: { 'content-length': '5', allow: 'GET' } });
  });

  it('has its own address in pages and redirects', async () => {
    const host = new Host();
    const page = `<a href="${UP}/b">b</a><img src="${UP}/c">`;
    host.told = {
      status: 302,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': '9', location: `${UP}/in` },
      body: page,
    };
    const { reply, text } = await send(host, 'GET', `/tenants/acme${POD}/?x`);
    const own = `/tenants/acme${POD}`;
    expect(text).toBe(`<a href="${own}/b">b</a><img src="${own}/c">`);
    expect(reply).toMatchObject({ status: 302, headers: { location: `${own}/in` } });
    expect(reply).not.toHaveProperty('headers.content-length');
  });

  it('has that address however the client wrote the path below it', async () => {
    const host = new Host();
    host.told = { status: 302, headers: { location: `${UP}/in` } };
    const { reply } = await send(host, 'GET', `${POD}/a,b@c/%C3%A4/`);
    expect(reply).toMatchObject({ headers: { location: `${POD}/in` } });
    expect(host.passages[0]?.path).toBe(`${UP}/a%2Cb%40c/%C3%A4/`);
  });

  it('is not looked into when it is no page', async () => {
    const host = new Host();
    host.told = { headers: { 'content-type': 'application/json' }, body: `"${UP}"` };
    expect((await send(host, 'GET', `${POD}/`)).text).toBe(`"${UP}"`);
  });

  it('is told from the API server’s own refusals, which speak in the tenant’s terms', async () => {
    const host = new Host();
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'pods "a" not found in acme--web',
      code: 404,
    };
    host.told = { status: 404, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
    const { reply } = await send(host, 'GET', `${POD}/`);
    expect(reply).toMatchObject({ kind: 'object', status: 404, object: { message: 'pods "a" not found in web' } });
    host.told = { ...host.told, body: '{"error":"none of ours"}' };
    expect((await send(host, 'GET', `${POD}/`)).text).toBe('{"error":"none of ours"}');
  });

  it('is told to be tried again where the host lacks rights that the tenant’s roles give', async () => {
    const host = new Host();
    const message =
      'pods "a" is forbidden: User "kubeveil:acme" cannot get resource "pods/proxy" in API group "" in the namespace "acme--web": RBAC: clusterrole.rbac.authorization.k8s.io "kubeveil:guard" not found';
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message, code: 403 };
    host.told = { status: 403, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
    await expect(send(host, 'GET', `${POD}/`)).rejects.toMatchObject({
      code: 'ERR_UNAVAILABLE',
      message: 'the cluster is not ready at the moment; try again',
    });
  });

  it('installs no service worker', async () => {
    const worker = send(new Host(), 'GET', `${POD}/sw.js`, ['Service-Worker', 'script']);
    await expect(worker).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' });
  });

  it('is not there in a namespace that is not', async () => {
    const host = new Host();
    host.state = 'absent';
    await expect(send(host, 'GET', `${POD}/`)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    expect(host.passages).toEqual([]);
  });
});

describe('HTTP of a service', () => {
  const SLICES =
    '/apis/discovery.k8s.io/v1/namespaces/acme--web/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Ds';
  function hostWith(endpoint: JsonObject): Host {
    const host = new Host();
    host.objects.set('/api/v1/namespaces/acme--web/services/s', {
      spec: {
        ports: [
          { name: 'http', port: 80 },
          { name: 'admin', port: 81 },
        ],
      },
    });
    host.objects.set(SLICES, {
      items: [
        {
          ports: [
            { name: 'http', port: 8080 },
            { name: 'admin', port: 9000 },
          ],
          endpoints: [endpoint],
        },
      ],
    });
    return host;
  }
  const ready = { addresses: ['10.0.0.9'], conditions: { ready: true }, targetRef: { kind: 'Pod', name: 'a' } };

  it.each([
    ['s:http', 'a:8080'],
    ['s:81', 'a:9000'],
    ['https:s:admin', 'https:a:9000'],
  ])('%s is asked of the pod %s', async (named, pod) => {
    const host = hostWith(ready);
    const { reply } = await send(host, 'GET', `/api/v1/namespaces/web/services/${named}/proxy/x`);
    expect(reply).toMatchObject({ status: 200 });
    expect(host.passages[0]?.path).toBe(`/api/v1/namespaces/acme--web/pods/${pod}/proxy/x`);
  });

  it.each([
    ['an address that is no pod’s', { ...ready, targetRef: {} }, 's:http', /no endpoints available/],
    ['a pod that is not ready', { ...ready, conditions: { ready: false } }, 's:http', /no endpoints available/],
    ['a port that it has not', ready, 's:82', /no service port "82" found for service "s"/],
    ['no port, of several', ready, 's', /no service port "" found/],
  ])('leads nowhere: %s', async (_what, endpoint, named, message) => {
    const host = hostWith(endpoint);
    await expect(send(host, 'GET', `/api/v1/namespaces/web/services/${named}/proxy/`)).rejects.toThrow(message);
    expect(host.passages).toEqual([]);
  });

  it('that is not there is not found', async () => {
    await expect(send(new Host(), 'GET', '/api/v1/namespaces/web/services/s:http/proxy/')).rejects.toThrow(
      'services "s" not found',
    );
  });
});

describe('a log', () => {
  it('says nothing of the host’s machines', async () => {
    const host = new Host();
    const message =
      'Get "https://node-7:10250/containerLogs/acme--web/a/a": dial tcp 10.9.8.7:10250: connect: connection refused';
    host.told = { status: 500, body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message }) };
    const failed = send(host, 'GET', '/api/v1/namespaces/web/pods/a/log?follow=true');
    await expect(failed).rejects.toThrow(
      /^Internal error occurred: pods "a" cannot be reached: its node did not answer log/,
    );
    expect(host.passages[0]).toMatchObject({
      path: '/api/v1/namespaces/acme--web/pods/a/log',
      rawQuery: 'follow=true',
    });
  });
});
