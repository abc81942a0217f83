/** Calls of webhooks, good and bad ones, over real TLS on loopback; the way into a pod is a plain connection here. */
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { createAuthority, issueServer } from '../pki/certificates.ts';
import type { UpstreamForward, WebhookCall } from '../ports.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createWebhooks, type WebhooksOptions } from './webhooks.ts';

const acme = { id: 'acme' as TenantId, uid: 'a' } as Tenant;
/** Takes some milliseconds to read. */
const LARGE = JSON.stringify({ large: Array(200_000).fill([{}]) });
const globex = { id: 'globex' as TenantId, uid: 'g' } as Tenant;

let server: Server;
let port: number;
let caBundle: string;
let otherCa: string;

beforeAll(async () => {
  const authority = await createAuthority([{ CN: ['webhook-ca'] }]);
  const other = await createAuthority([{ CN: ['another'] }]);
  const names = { commonName: 'hook', dnsNames: ['hook.web.svc'], ipAddresses: ['127.0.0.1'] };
  const pair = await issueServer(authority, names);
  caBundle = Buffer.from(authority.certPem).toString('base64');
  otherCa = Buffer.from(other.certPem).toString('base64');
  server = createServer({ cert: pair.certPem, key: pair.keyPem }, (request, response) => {
    request.resume();
    request.on('end', () => {
      const { pathname, search } = new URL(request.url ?? '/', 'https://hook');
      if (pathname === '/hang') return;
      if (pathname === '/huge') response.end(Buffer.alloc(9 * 1024 * 1024, ' '));
      else if (pathname === '/redirect') response.writeHead(307, { location: `https://127.0.0.1:${port}/ok` }).end();
      else if (pathname === '/large') response.end(LARGE);
      else if (pathname === '/garbage') response.end('<html>');
      else response.end(JSON.stringify({ path: pathname + search }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

interface LabOptions extends Pick<WebhooksOptions, 'reading'> {
  mayReach: boolean;
  endpoints: boolean;
}

function lab({ mayReach = false, endpoints = true, ...more }: Partial<LabOptions> = {}) {
  const forwarded: UpstreamForward[] = [];
  const webhooks = createWebhooks({
    namespaces: { state: () => 'ready' },
    mayReach: () => mayReach,
    ...more,
    upstream: {
      async request({ path }) {
        const targetRef = { kind: 'Pod', name: 'hook-1' };
        const slice = { ports: [{ name: '', port }], endpoints: endpoints ? [{ targetRef }] : [] };
        const document = path.includes('/services/') ? { spec: { ports: [{ port: 443 }] } } : { items: [slice] };
        return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(document)) };
      },
      async forward(wanted) {
        forwarded.push(wanted);
        return connect(wanted.port, '127.0.0.1');
      },
    },
  });
  const call = async (path: string, more: Partial<WebhookCall> = {}, config: JsonObject = {}) => {
    const answer = await webhooks.call({
      tenant: acme,
      clientConfig: { service: { namespace: 'web', name: 'hook', path }, caBundle, ...config },
      body: { a: 'b' },
      timeoutMs: 10_000,
      tellsTimeout: true,
      signal: new AbortController().signal,
      ...more,
    });
    return 'failure' in answer ? answer.failure : answer.document;
  };
  return { webhooks, call, forwarded };
}

describe('a call', () => {
  it('waits with large answers until the tenant may use the process again, and nobody else does', async () => {
    const { call } = lab({ reading: { burstMs: 0.001, msPerSecond: 0.001 } });
    expect(await call('/large')).toMatchObject({ large: expect.any(Array) });
    expect(await call('/large', { timeoutMs: 300 })).toContain('context deadline exceeded');
    expect(await call('/ok')).toMatchObject({ path: expect.any(String) });
    expect(await call('/large', { tenant: globex })).toMatchObject({ large: expect.any(Array) });
  });

  it('reaches a pod of the tenant, by a connection that is used again', async () => {
    const { call, forwarded, webhooks } = lab();
    expect(await call('/ok')).toEqual({ path: '/ok?timeout=10s' });
    // The connection is free again when what ended the answer is done.
    await setImmediate();
    expect(await call('/ok', { tellsTimeout: false })).toEqual({ path: '/ok' });
    expect(forwarded).toMatchObject([
      { path: '/api/v1/namespaces/acme--web/pods/hook-1/portforward', identity: { as: 'tenant', tenant: 'acme' } },
    ]);
    await webhooks.close();
  });

  it('shares no connection with another tenant’s, whose webhook has the same name', async () => {
    const { call, forwarded, webhooks } = lab();
    await call('/ok');
    await call('/ok', { tenant: globex });
    expect(forwarded.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/acme--web/pods/hook-1/portforward',
      '/api/v1/namespaces/globex--web/pods/hook-1/portforward',
    ]);
    await webhooks.close();
  });

  it.each([
    ['/redirect', 'the server responded with the status code 307'],
    ['/garbage', "couldn't get version/kind; json parse error"],
    ['/huge', 'the answer is larger than 8388608 bytes'],
  ])('of %s fails', async (path, why) => {
    const { call, webhooks } = lab();
    expect(await call(path)).toContain(why);
    await webhooks.close();
  });

  it('fails where the certificate is of another CA, or for another name', async () => {
    const { call, webhooks } = lab();
    const words = 'Post "https://hook.web.svc:443/ok?timeout=10s": tls: failed to verify certificate: x509: ';
    expect(await call('/ok', {}, { caBundle: otherCa })).toBe(`${words}certificate signed by unknown authority`);
    const service = { namespace: 'other', name: 'hook', path: '/ok' };
    expect(await call('/ok', {}, { service })).toContain('certificate is not valid for hook.other.svc');
    await webhooks.close();
  });

  it('fails where nothing is ready, and speaks of no address', async () => {
    const { call, webhooks } = lab({ endpoints: false });
    expect(await call('/ok')).toBe(
      'Post "https://hook.web.svc:443/ok?timeout=10s": no endpoints available for service "hook"',
    );
    await webhooks.close();
  });

  it('goes by URL only where the policy says so', async () => {
    const config = { service: null, url: `https://127.0.0.1:${port}/ok` } as unknown as JsonObject;
    const [closed, open] = [lab(), lab({ mayReach: true })];
    expect(await closed.call('', {}, config)).toContain(
      'the policy of this cluster does not let webhooks be at 127.0.0.1',
    );
    expect(await open.call('', {}, config)).toEqual({ path: '/ok?timeout=10s' });
    expect(open.forwarded).toEqual([]);
    await Promise.all([closed.webhooks.close(), open.webhooks.close()]);
  });

  it('ends with the request that it is for', async () => {
    const { call, webhooks } = lab();
    const gone = new AbortController();
    const asked = call('/hang', { signal: gone.signal });
    gone.abort();
    await expect(asked).rejects.toMatchObject({ code: 'ERR_TIMEOUT' });
    await webhooks.close();
  });
});

describe('a webhook that hangs', () => {
  it('takes its timeout, is then left alone, and holds up nobody else', async () => {
    const { call, webhooks } = lab();
    const hung = Array.from({ length: 40 }, () => call('/hang', { timeoutMs: 500 }));
    // Twenty wait for an answer and twenty for their turn; another tenant is asked at once.
    expect(await call('/ok', { tenant: globex })).toEqual({ path: '/ok?timeout=10s' });
    for (const answer of await Promise.all(hung)) expect(answer).toContain('context deadline exceeded');
    expect(await call('/hang', { timeoutMs: 60_000 })).toContain('it is left alone for a moment');
    expect(await call('/ok')).toEqual({ path: '/ok?timeout=10s' });
    await webhooks.close();
  });
});
