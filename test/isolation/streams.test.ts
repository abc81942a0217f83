/**
 * Who may reach into a pod, and for how long: the right `create`, whatever the method; the tenant's own pods; and no
 * longer than right, account and tenant last.
 */
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { type OpenedUpgrade, openUpgrade, type UpgradeRequest } from '../support/open-upgrade.ts';
import { openWatch } from '../support/open-watch.ts';
import { eventually } from '../support/processes.ts';
import { makeTenant } from '../support/product.ts';

const { acme, globex, host, facts } = useProduct();
const controlPlane = inject('controlPlane');
const NS = 'into-pods';
const EXEC = `/api/v1/namespaces/${NS}/pods/one/exec?command=cat&stdin=true&stdout=true`;
const WAYS = [
  ['WebSocket', { protocol: 'websocket', method: 'GET' }],
  ['SPDY by POST', { protocol: 'SPDY/3.1', method: 'POST' }],
  ['SPDY by GET', { protocol: 'SPDY/3.1', method: 'GET' }],
] as const;

const opened: OpenedUpgrade[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one[Symbol.dispose]();
});

type Asked = Partial<UpgradeRequest> & Pick<UpgradeRequest, 'protocol'>;

async function upgrade(asked: Asked, credential: Partial<UpgradeRequest> = acme.facts): Promise<OpenedUpgrade> {
  const { server, caPem } = facts;
  const { certPem, keyPem } = credential;
  const upgraded = await openUpgrade({ server, caPem, certPem, keyPem, path: EXEC, ...asked });
  opened.push(upgraded);
  acme.mustBeClean(`${JSON.stringify(upgraded.headers)}\n${upgraded.text}`);
  return upgraded;
}

async function tokenOf(account: string): Promise<string> {
  await acme.kubectl(`create serviceaccount ${account} -n ${NS}`);
  return await acme.kubectl(`create token ${account} -n ${NS}`);
}

async function allow(account: string, verbs: string, resource = 'pods/exec'): Promise<void> {
  await acme.kubectl(`create role ${account} -n ${NS} --verb=${verbs} --resource=${resource}`);
  await acme.kubectl(`create rolebinding ${account} -n ${NS} --role=${account} --serviceaccount=${NS}:${account}`);
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

beforeAll(async () => {
  await acme.kubectl(`create namespace ${NS}`);
  await acme.kubectl(`run one -n ${NS} --image=none`);
  await acme.kubectl(`wait pod/one -n ${NS} --for=condition=Ready --timeout=120s`);
});

describe.each(WAYS)('exec by %s', (_name, way) => {
  it('is for the tenant', async () => {
    expect(await upgrade(way)).toMatchObject({ status: 101, ended: false });
  });

  it('is for nobody without a credential', async () => {
    expect(await upgrade(way, {})).toMatchObject({ status: 401, text: expect.stringContaining('"Unauthorized"') });
  });

  it('is not for another tenant, who has no such pod', async () => {
    expect(await upgrade(way, globex.facts)).toMatchObject({ status: 404 });
  });

  it('reaches no pod of another tenant by its upstream name', async () => {
    const path = EXEC.replace(NS, `acme--${NS}`);
    const { server, caPem } = facts;
    const { certPem, keyPem } = globex.facts;
    const refused = await openUpgrade({ server, caPem, certPem, keyPem, ...way, path });
    expect(refused.status).toBe(404);
  });
});

describe('the right to exec', () => {
  it('is `create`: reading is not enough, whatever the method', async () => {
    const token = await tokenOf('looker');
    await allow('looker', 'get,list,watch');
    for (const [, way] of WAYS) {
      const refused = await upgrade({ ...way, ...bearer(token) }, {});
      expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('cannot create resource') });
    }
  });

  it('may come by a token among the sub-protocols, which goes no further', async () => {
    const token = await tokenOf('browser');
    await allow('browser', 'create');
    const encoded = Buffer.from(token).toString('base64url');
    const protocols = `base64url.bearer.authorization.k8s.io.${encoded}, v5.channel.k8s.io`;
    const sent = { protocol: 'websocket', headers: { 'sec-websocket-protocol': protocols } } as const;
    const upgraded = await upgrade(sent, {});
    expect(upgraded.status).toBe(101);
    expect(upgraded.headers['sec-websocket-protocol']).toBe('v5.channel.k8s.io');
    const both = await upgrade({ ...sent, headers: { ...sent.headers, ...bearer(token).headers } }, {});
    expect(both.status).toBe(400);
  });

  it('ends the connection when it is taken away', async () => {
    const token = await tokenOf('leaver');
    await allow('leaver', 'create');
    const kept = await upgrade({ protocol: 'websocket' });
    const upgraded = await upgrade({ protocol: 'websocket', ...bearer(token) }, {});
    expect(upgraded).toMatchObject({ status: 101, ended: false });
    await acme.kubectl(`delete rolebinding leaver -n ${NS}`);
    await eventually('the connection ends', () => upgraded.ended);
    expect(kept.ended).toBe(false);
  });
});

describe('a log that is followed', () => {
  const path = `/api/v1/namespaces/${NS}/pods/one/log?follow=true`;
  const follow = (token: string) => openWatch({ server: facts.server, caPem: facts.caPem, path, token });

  it('ends when the right goes, not when another goes', async () => {
    const [staying, leaving] = [await tokenOf('log-stayer'), await tokenOf('log-leaver')];
    await Promise.all([allow('log-stayer', 'get', 'pods/log'), allow('log-leaver', 'get', 'pods/log')]);
    using kept = await follow(staying);
    using followed = await follow(leaving);
    expect([kept.status, followed.status, kept.ended, followed.ended]).toEqual([200, 200, undefined, undefined]);
    await acme.kubectl(`delete rolebinding log-leaver -n ${NS}`);
    await eventually('the log ends', () => followed.ended !== undefined);
    expect(kept.ended).toBeUndefined();
  });

  it('ends when the account goes', async () => {
    const token = await tokenOf('log-account');
    await allow('log-account', 'get', 'pods/log');
    using followed = await follow(token);
    expect([followed.status, followed.ended]).toEqual([200, undefined]);
    await acme.kubectl(`delete serviceaccount log-account -n ${NS}`);
    await eventually('the log ends', () => followed.ended !== undefined);
  });
});

describe('a tenant that is suspended', () => {
  it('loses its connections', async () => {
    const tenant = await makeTenant(
      controlPlane,
      'streamer',
      join(dirname(acme.facts.kubeconfigPath), 'streamer.kubeconfig'),
    );
    const as = { certPem: tenant.certPem, keyPem: tenant.keyPem };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one' },
      spec: { containers: [{ name: 'one', image: 'none' }] },
    };
    const path = '/api/v1/namespaces/default/pods';
    expect((await acme.send(path, { ...as, method: 'POST', body: JSON.stringify(pod) })).status).toBe(201);
    await eventually('its pod runs', async () => {
      const { text } = await acme.send(`${path}/one`, as);
      return (JSON.parse(text) as KubeObject).status.phase === 'Running';
    });
    const upgraded = await upgrade({ protocol: 'websocket', path: EXEC.replace(NS, 'default') }, as);
    expect(upgraded).toMatchObject({ status: 101, ended: false });
    await host.send(
      'PATCH',
      '/apis/kubeveil.dev/v1alpha1/tenants/streamer',
      { spec: { suspended: true } },
      'application/merge-patch+json',
    );
    await eventually('the connection ends', () => upgraded.ended);
  });
});

describe('an upgrade that is refused', () => {
  it.each([
    ['of what is no connection', `/api/v1/namespaces/${NS}/pods/one`, 400],
    ['of a node', '/api/v1/nodes/node-1/proxy/exec/a/b/c', 404],
    ['of a pod that is not there', EXEC.replace('/one/', '/none/'), 404],
  ])('%s ends the connection, and what comes behind it is no request', async (_what, path, status) => {
    const refused = await upgrade({ protocol: 'websocket', path });
    expect(refused.status).toBe(status);
    expect(refused.headers['connection']).toBe('close');
  });

  it('is what a request without one gets', async () => {
    const answer = await acme.send(EXEC, { method: 'POST' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Upgrade request required');
  });
});

describe('a handshake', () => {
  const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' };
  const pod = (rest: string) => `/api/v1/namespaces/${NS}/pods/one/${rest}`;
  const [exec, forward] = ['exec?command=true&stdout=true', 'portforward'];
  const stream = (version: string) => ({ 'x-stream-protocol-version': version });
  const offering = (protocol: string) => ({ ...key, 'sec-websocket-protocol': protocol });

  it.each([
    ['of a sub-protocol that is known', 'websocket', exec, offering('v5.channel.k8s.io'), 101],
    ['of one that is not known', 'websocket', exec, offering('v9.nobody'), 403],
    ['of one that is not known and one that is', 'websocket', exec, offering('v9.nobody, v4.channel.k8s.io'), 101],
    ['without one', 'websocket', exec, key, 101],
    ['without a version', 'websocket', exec, { 'sec-websocket-key': key['sec-websocket-key'] }, 400],
    ['of a protocol of streams', 'SPDY/3.1', exec, stream('v4.channel.k8s.io'), 101],
    ['of one that is not known by SPDY', 'SPDY/3.1', exec, stream('v9.nobody'), 403],
    ['without one by SPDY', 'SPDY/3.1', exec, {}, 400],
    ['of ports by SPDY', 'SPDY/3.1', forward, stream('portforward.k8s.io'), 101],
    ['of ports by what they do not speak', 'SPDY/3.1', forward, stream('v4.channel.k8s.io'), 403],
    ['of ports in a tunnel', 'websocket', forward, offering('SPDY/3.1+portforward.k8s.io'), 101],
    ['of no port', 'websocket', forward, offering('v4.channel.k8s.io'), 400],
    ['of port 0', 'websocket', `${forward}?ports=0`, offering('v4.channel.k8s.io'), 400],
  ] as const)('ends as on the host: %s', async (_what, protocol, rest, handshake, status) => {
    const mine = await upgrade({ protocol, path: pod(rest), handshake });
    const { server, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = controlPlane;
    const path = pod(rest).replace(NS, `acme--${NS}`);
    using theirs = await openUpgrade({ server, caPem, certPem, keyPem, protocol, path, handshake });
    const agreed = ['sec-websocket-protocol', 'x-stream-protocol-version'];
    const shown = ({ headers, ...opened }: OpenedUpgrade) => [opened.status, ...agreed.map((name) => headers[name])];
    expect(theirs.status).toBe(status);
    if (status === 101) expect(shown(mine)).toEqual(shown(theirs));
    else expectRefused(mine, status);
  });

  function expectRefused({ status, text }: OpenedUpgrade, wanted: number): void {
    const { kind, code, message } = JSON.parse(text) as KubeObject;
    expect({ status, kind, code }).toEqual({ status: wanted, kind: 'Status', code: wanted });
    expect(message).toMatch(/the connection was not made|query parameter "port" is required|port "0" must be > 0/);
  }
});
