/**
 * Whatever lasts ends when the right to it goes, and when its tenant does: commands, attached ones, followed logs, forwarded
 * ports and watches, on every protocol; and what has the same right still goes on. All are judged again about every second,
 * so one that lasts ten times as long is not judged at all.
 */
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { type KubeObject, useProduct } from '../support/as-tenant.ts';
import { openUpgrade, type UpgradeRequest } from '../support/open-upgrade.ts';
import { openWatch } from '../support/open-watch.ts';
import { eventually } from '../support/processes.ts';
import { makeTenant } from '../support/product.ts';

const { acme, host, facts } = useProduct();
const controlPlane = inject('controlPlane');
const NS = 'streams-revoked';
const TENANTS = '/apis/kubeveil.dev/v1alpha1/tenants';
const ENDS_MS = 10_000;

const KEY = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' };
const byWebSocket = (protocol: string) =>
  ({ protocol: 'websocket', handshake: { ...KEY, 'sec-websocket-protocol': protocol } }) as const;
const bySpdy = (version: string) =>
  ({ protocol: 'SPDY/3.1', method: 'POST', handshake: { 'x-stream-protocol-version': version } }) as const;

interface Lasting {
  readonly what: string;
  /** Below the namespace. */
  readonly path: string;
  readonly right: readonly [verb: string, resource: string];
  /** Undefined for what is an answer without an end. */
  readonly upgrade?: Pick<UpgradeRequest, 'protocol' | 'method' | 'handshake'>;
}
const [EXEC, ATTACH] = ['pods/one/exec?command=cat&stdin=true&stdout=true', 'pods/one/attach?stdin=true&stdout=true'];
const LASTING: readonly Lasting[] = [
  { what: 'exec', path: EXEC, right: ['create', 'pods/exec'], upgrade: byWebSocket('v5.channel.k8s.io') },
  { what: 'exec-v4', path: EXEC, right: ['create', 'pods/exec'], upgrade: byWebSocket('v4.channel.k8s.io') },
  { what: 'exec-spdy', path: EXEC, right: ['create', 'pods/exec'], upgrade: bySpdy('v4.channel.k8s.io') },
  { what: 'attach', path: ATTACH, right: ['create', 'pods/attach'], upgrade: byWebSocket('v5.channel.k8s.io') },
  { what: 'attach-spdy', path: ATTACH, right: ['create', 'pods/attach'], upgrade: bySpdy('v4.channel.k8s.io') },
  {
    what: 'ports',
    path: 'pods/one/portforward',
    right: ['create', 'pods/portforward'],
    upgrade: byWebSocket('SPDY/3.1+portforward.k8s.io'),
  },
  {
    what: 'ports-spdy',
    path: 'pods/one/portforward',
    right: ['create', 'pods/portforward'],
    upgrade: bySpdy('portforward.k8s.io'),
  },
  { what: 'log', path: 'pods/one/log?follow=true', right: ['get', 'pods/log'] },
  { what: 'watch', path: 'pods?watch=true', right: ['watch', 'pods'] },
];

interface Opened extends Disposable {
  hasEnded(): boolean;
}
type Credential = { readonly token: string } | { readonly certPem: string; readonly keyPem: string };

const opened: Opened[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one[Symbol.dispose]();
});

async function open({ what, path: rest, upgrade }: Lasting, credential: Credential, namespace = NS): Promise<Opened> {
  const { server, caPem } = facts;
  const path = `/api/v1/namespaces/${namespace}/${rest}`;
  const cert = 'token' in credential ? {} : { certPem: credential.certPem, keyPem: credential.keyPem };
  const token = 'token' in credential ? { authorization: `Bearer ${credential.token}` } : {};
  const headers: Readonly<Record<string, string>> = { ...token };
  const one = await (upgrade === undefined
    ? openWatch({ server, caPem, ...cert, path, headers })
    : openUpgrade({ server, caPem, ...cert, path, ...upgrade, headers }));
  const now = {
    hasEnded: () => one.ended !== undefined && one.ended !== false,
    [Symbol.dispose]: () => one[Symbol.dispose](),
  };
  opened.push(now);
  expect({ what, status: one.status, ended: now.hasEnded() }).toEqual({
    what,
    status: upgrade === undefined ? 200 : 101,
    ended: false,
  });
  return now;
}

/** An account that has this right, by a RoleBinding of its own name. */
async function accountWith(name: string, [verb, resource]: Lasting['right']): Promise<{ token: string }> {
  await acme.kubectl(`create serviceaccount ${name} -n ${NS}`);
  await acme.kubectl(`create role ${name} -n ${NS} --verb=${verb} --resource=${resource}`);
  await acme.kubectl(`create rolebinding ${name} -n ${NS} --role=${name} --serviceaccount=${NS}:${name}`);
  return { token: await acme.kubectl(`create token ${name} -n ${NS}`) };
}

beforeAll(async () => {
  await acme.kubectl(`create namespace ${NS}`);
  await acme.kubectl(`run one -n ${NS} --image=none`);
  await acme.kubectl(`wait pod/one -n ${NS} --for=condition=Ready --timeout=120s`);
});

describe.each(LASTING)('$what', (lasting) => {
  it('ends when the right to it is taken away, and goes on for who has it still', async () => {
    const [leaver, stayer] = [`${lasting.what}-leaver`, `${lasting.what}-stayer`];
    const left = await open(lasting, await accountWith(leaver, lasting.right));
    const kept = await open(lasting, await accountWith(stayer, lasting.right));
    await acme.kubectl(`delete rolebinding ${leaver} -n ${NS}`);
    await eventually('it ends', left.hasEnded, ENDS_MS);
    expect(kept.hasEnded()).toBe(false);
  });
});

describe.each([
  [
    'suspended',
    'pauser',
    () => host.send('PATCH', `${TENANTS}/pauser`, { spec: { suspended: true } }, 'application/merge-patch+json'),
  ],
  ['deleted', 'vanisher', () => host.send('DELETE', `${TENANTS}/vanisher`)],
] as const)('a tenant that is %s', (_how, id, end) => {
  afterAll(() => host.send('DELETE', `${TENANTS}/${id}`));

  it('loses all of them, and nobody else does', async () => {
    const file = join(dirname(acme.facts.kubeconfigPath), `${id}.kubeconfig`);
    const { certPem, keyPem } = await makeTenant(controlPlane, id, file);
    const path = '/api/v1/namespaces/default/pods';
    const spec = { containers: [{ name: 'one', image: 'none' }] };
    const pod = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec });
    expect((await acme.send(path, { certPem, keyPem, method: 'POST', body: pod })).status).toBe(201);
    await eventually('its pod runs', async () => {
      const { text } = await acme.send(`${path}/one`, { certPem, keyPem });
      return (JSON.parse(text) as KubeObject).status.phase === 'Running';
    });
    const own: Opened[] = [];
    for (const lasting of LASTING) own.push(await open(lasting, { certPem, keyPem }, 'default'));
    const others: Opened[] = [];
    for (const lasting of LASTING) others.push(await open(lasting, acme.facts));
    await end();
    await eventually('they end', () => own.every((one) => one.hasEnded()), ENDS_MS);
    expect(LASTING.filter((_, at) => others[at]?.hasEnded()).map(({ what }) => what)).toEqual([]);
  });
});
