/**
 * The HTTP of pods and services through the host's API server, to a real server: any method, any body, paths as they
 * are, and nothing that says who asks or that a browser would keep. The API server connects to no loopback address, so
 * the pod is given an address of this machine.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asBoth, type KubeObject, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { jsonOf } from '../../support/http.ts';
import { openUpgrade } from '../../support/open-upgrade.ts';

const { acme, globex, both, host, facts } = useProduct();
const NS = 'pod-http';

/** What the pod was asked, which is also its answer. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
const asked: Asked[] = [];
let server: Server;
let port: number;
let pod: string;
let service: string;

beforeAll(async () => {
  const address = outwardAddress();
  server = createServer(async (request, response) => {
    const pieces: string[] = [];
    for await (const piece of request) pieces.push(String(piece));
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: pieces.join('') };
    asked.push(one);
    if (url === '/page') {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<a href="/a">a</a>');
      return;
    }
    const kept = { 'set-cookie': 'a=b', 'clear-site-data': '"*"', 'service-worker-allowed': '/' };
    response.writeHead(200, { 'content-type': 'application/json', 'x-own': 'of the pod', allow: 'GET', ...kept });
    response.end(method === 'HEAD' ? undefined : JSON.stringify({ method, url, body: one.body }));
  });
  server.on('upgrade', (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\n\r\n`,
    );
    socket.end('from the pod');
  });
  server.listen(0, address);
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
  pod = `/api/v1/namespaces/${NS}/pods/web:${port}/proxy`;
  service = `/api/v1/namespaces/${NS}/services/web:http/proxy`;
  await asBoth(both, async (tenant) => {
    await tenant.kubectl(`create namespace ${NS}`);
    await tenant.kubectl(`run web -n ${NS} --image=none --labels=app=web`);
    await tenant.kubectl(`wait pod/web -n ${NS} --for=condition=Ready --timeout=120s`);
    await host.send(
      'PATCH',
      `/api/v1/namespaces/${tenant.id}--${NS}/pods/web/status`,
      { status: { podIP: address, podIPs: [{ ip: address }] } },
      'application/merge-patch+json',
    );
    await tenant.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: NS },
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: port }] },
    });
    await tenant.kubectl(
      `wait endpointslices -n ${NS} -l kubernetes.io/service-name=web --for=jsonpath={.endpoints[0].conditions.ready}=true --timeout=60s`,
    );
  });
  await acme.kubectl(`create role proxy -n ${NS} --verb=get --resource=pods/proxy,services/proxy`);
  await acme.kubectl(`create rolebinding proxy -n ${NS} --role=proxy --serviceaccount=${NS}:default`);
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

function outwardAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const found = all.find(({ internal, family }) => !internal && family === 'IPv4');
  if (found === undefined)
    throw new Error('this machine has no address but loopback, to which an API server never connects');
  return found.address;
}

/** What the pod was asked by this request. */
async function through(tenant: TenantClient, path: string, options: Parameters<TenantClient['send']>[1] = {}) {
  const before = asked.length;
  const answer = await tenant.send(path, options);
  return { answer, asked: asked[before] };
}

describe.each([
  ['a pod', () => pod],
  ['a service', () => service],
])('the HTTP of %s', (_what, base) => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('is asked by %s', async (method) => {
    const body = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) ? `of ${method}` : '';
    const { answer, asked } = await through(acme, `${base()}/a`, { method, ...(body === '' ? {} : { body }) });
    expect(answer.status).toBe(200);
    expect(asked).toMatchObject({ method, url: '/a', body });
    expect(answer.headers['x-own']).toBe('of the pod');
    if (method !== 'HEAD') expect(jsonOf(answer)).toEqual({ method, url: '/a', body });
  });

  it.each([
    ['/', '/'],
    ['/api', '/api'],
    ['/namespaces/kube-system/pods?watch=true&x=1&x=2', '/namespaces/kube-system/pods?watch=true&x=1&x=2'],
    ['/acme--web/b%20c/', '/acme--web/b%20c/'],
  ])('has its paths as they are: %j', async (rest, url) => {
    expect((await through(acme, base() + rest, { typed: ['acme--web'] })).asked?.url).toBe(url);
  });

  it('has its own address in what the API server writes: redirects and pages', async () => {
    const redirect = await acme.send(`${base()}?x=1`);
    expect(redirect.status).toBe(301);
    expect(redirect.headers['location']).toBe(`${base()}/?x=1`);
    const page = await acme.send(`${base()}/page`);
    expect(page.text).toBe(`<a href="${base()}/a">a</a>`);
  });

  it('brings headers of the application, and none that says who asks', async () => {
    const own = { 'x-own': '1', accept: 'text/x-own', 'content-type': 'text/plain' };
    const identity = {
      cookie: 'session=1',
      'x-remote-user': 'admin',
      'x-remote-group': 'system:masters',
      'x-forwarded-user': 'admin',
    };
    const { asked } = await through(acme, `${base()}/`, {
      method: 'POST',
      body: 'x',
      headers: { ...own, ...identity },
    });
    expect(asked?.headers).toMatchObject(own);
    const told = Object.keys(asked?.headers ?? {}).filter((name) =>
      /auth|cookie|remote|impersonate|-user|audit/.test(name),
    );
    expect(told.filter((name) => name !== 'user-agent')).toEqual([]);
  });

  it('brings no token', async () => {
    const token = await acme.kubectl(`create token default -n ${NS}`);
    const bearer = { headers: { authorization: `Bearer ${token}` }, certPem: undefined, keyPem: undefined };
    const { answer, asked } = await through(acme, `${base()}/`, bearer as Parameters<TenantClient['send']>[1]);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(asked)).not.toContain(token);
    expect(asked?.headers).not.toHaveProperty('authorization');
  });

  it('leaves nothing in a browser: no cookies, no service workers', async () => {
    const { answer } = await through(acme, `${base()}/`);
    expect(answer.headers).toMatchObject({ 'x-own': 'of the pod', allow: 'GET' });
    for (const name of ['set-cookie', 'clear-site-data', 'service-worker-allowed']) {
      expect(answer.headers).not.toHaveProperty(name);
    }
    const before = asked.length;
    const worker = await acme.send(`${base()}/sw.js`, { headers: { 'service-worker': 'script' } });
    expect(worker.status).toBe(403);
    expect(asked).toHaveLength(before);
  });

  it('becomes a WebSocket', async () => {
    const { server: proxy, caPem } = facts;
    const { certPem, keyPem } = acme.facts;
    using opened = await openUpgrade({
      server: proxy,
      caPem,
      certPem,
      keyPem,
      protocol: 'websocket',
      path: `${base()}/ws`,
    });
    expect(opened).toMatchObject({ status: 101 });
  });

  it('is the tenant’s alone', async () => {
    const before = asked.length;
    const foreign = base().replace(NS, `globex--${NS}`);
    expect((await acme.send(foreign, { typed: [`globex--${NS}`] })).status).toBe(404);
    expect(asked).toHaveLength(before);
    expect((await through(globex, `${base()}/`)).asked?.method).toBe('GET');
  });
});

describe('OPTIONS', () => {
  it('is for who may do everything, as there is no verb of it', async () => {
    await acme.kubectl(`create role options -n ${NS} --verb=get,create,update,patch,delete --resource=pods/proxy`);
    await acme.kubectl(`create rolebinding options -n ${NS} --role=options --user=optional`);
    const as = { headers: { 'impersonate-user': 'optional' } };
    expect((await acme.send(`${pod}/`, as)).status).toBe(200);
    const refused = await acme.send(`${pod}/`, { method: 'OPTIONS', ...as });
    expect(refused.status).toBe(403);
    expect(jsonOf<KubeObject>(refused).message).toContain('cannot  resource "pods/proxy"');
  });
});

describe('kubectl proxy', () => {
  it('gives programs without a credential the API, and the HTTP of pods', async () => {
    await asBoth(both, async (tenant) => {
      await using serving = tenant.follow('proxy --port=0');
      const line = await serving.line((text) => text.startsWith('Starting to serve on '));
      const origin = `http://${line.split(' ').at(-1)}`;
      const list = await (await fetch(`${origin}/api/v1/namespaces/${NS}/pods`)).text();
      expect((JSON.parse(list) as KubeObject).items.map(({ metadata }: KubeObject) => metadata.name)).toEqual(['web']);
      const posted = await fetch(`${origin}${pod}/from/outside`, { method: 'POST', body: 'sent' });
      expect(await posted.json()).toEqual({ method: 'POST', url: '/from/outside', body: 'sent' });
      const page = await (await fetch(`${origin}${service}/page`)).text();
      expect(page).toBe(`<a href="${service}/a">a</a>`);
      const watch = await fetch(`${origin}/api/v1/namespaces/${NS}/pods?watch=true&timeoutSeconds=1`);
      const events = await watch.text();
      expect(JSON.parse(events.split('\n')[0] ?? '')).toMatchObject({ type: 'ADDED', object: { kind: 'Pod' } });
      tenant.mustBeClean(`${list}${page}${events}`);
    });
  });
});
