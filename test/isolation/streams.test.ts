/**
 * Who may reach into a pod: whoever has the right `create`, whatever the method, and into the tenant's own pods; and how
 * the connection begins, as on the host. How long it may last is in `streams-revoked.test.ts`.
 */
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { useProduct } from '../support/as-tenant.ts';
import { type OpenedUpgrade, openUpgrade, type UpgradeRequest } from '../support/open-upgrade.ts';
import { openWatch } from '../support/open-watch.ts';
import { eventually } from '../support/processes.ts';

const { acme, globex, facts } = useProduct();
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
});

describe('a log that is followed', () => {
  const path = `/api/v1/namespaces/${NS}/pods/one/log?follow=true`;
  const follow = (token: string) => openWatch({ server: facts.server, caPem: facts.caPem, path, token });

  it('ends when the account goes', async () => {
    const token = await tokenOf('log-account');
    await allow('log-account', 'get', 'pods/log');
    using followed = await follow(token);
    expect([followed.status, followed.ended]).toEqual([200, undefined]);
    await acme.kubectl(`delete serviceaccount log-account -n ${NS}`);
    await eventually('the log ends', () => followed.ended !== undefined);
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
  const tunnelled = { 'sec-websocket-version': '13', 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' };

  it.each([
    ['of a sub-protocol that is known', 'websocket', exec, offering('v5.channel.k8s.io'), 101],
    ['of one that is not known', 'websocket', exec, offering('v9.nobody'), 403],
    ['of one that is not known and one that is', 'websocket', exec, offering('v9.nobody, v4.channel.k8s.io'), 101],
    ['without one', 'websocket', exec, key, 101],
    ['without a version', 'websocket', exec, { 'sec-websocket-key': key['sec-websocket-key'] }, 400],
    ['of a version that there is not', 'websocket', exec, { ...key, 'sec-websocket-version': '99' }, 400],
    ['without a key', 'websocket', exec, { 'sec-websocket-version': '13' }, 400],
    ['of a protocol of streams', 'SPDY/3.1', exec, stream('v4.channel.k8s.io'), 101],
    ['of one that is not known by SPDY', 'SPDY/3.1', exec, stream('v9.nobody'), 403],
    ['without one by SPDY', 'SPDY/3.1', exec, {}, 400],
    ['of ports by SPDY', 'SPDY/3.1', forward, stream('portforward.k8s.io'), 101],
    ['of ports by what they do not speak', 'SPDY/3.1', forward, stream('v4.channel.k8s.io'), 403],
    ['of ports in a tunnel', 'websocket', forward, offering('SPDY/3.1+portforward.k8s.io'), 101],
    ['of ports in a tunnel of nobody', 'websocket', forward, offering('SPDY/3.1+v9.k8s.io'), 403],
    ['of ports in a tunnel without a key', 'websocket', forward, tunnelled, 400],
    ['of no port', 'websocket', forward, offering('v4.channel.k8s.io'), 400],
    ['of port 0', 'websocket', `${forward}?ports=0`, offering('v4.channel.k8s.io'), 400],
  ] as const)('ends as on the host: %s', async (_what, protocol, rest, handshake, status) => {
    await endsAlike({ protocol, path: pod(rest), handshake }, status);
  });

  it.each([exec, 'attach?stdout=true', `${forward}?ports=80`])('ends as on the host: by POST to %s', async (rest) => {
    const handshake = offering(rest.startsWith(forward) ? 'v4.channel.k8s.io' : 'v5.channel.k8s.io');
    await endsAlike({ protocol: 'websocket', method: 'POST', path: pod(rest), handshake }, 405);
  });

  async function endsAlike(asked: Asked & { readonly path: string }, status: number): Promise<void> {
    const mine = await upgrade(asked);
    const { server, caPem, adminCertPem: certPem, adminKeyPem: keyPem } = controlPlane;
    const path = asked.path.replace(NS, `acme--${NS}`);
    using theirs = await openUpgrade({ server, caPem, certPem, keyPem, ...asked, path });
    const told = ['sec-websocket-protocol', 'sec-websocket-version', 'x-stream-protocol-version'];
    const shown = ({ headers, text, ...opened }: OpenedUpgrade) => ({
      status: opened.status,
      headers: told.map((name) => headers[name]),
      // Requests on the two ways have not as many headers.
      text: text.replace(/\d+ headers$/m, 'headers'),
    });
    expect(theirs.status).toBe(status);
    expect(shown(mine)).toEqual(shown(theirs));
  }
});
