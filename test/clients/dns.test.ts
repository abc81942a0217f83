/**
 * Names as a tenant's pods look them up: by a real CoreDNS with the shipped rule, asked by the search list and options
 * that a pod of the tenant has been given.
 */
import { Resolver } from 'node:dns/promises';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Child, logTail, startChild } from '../../src/dev/child.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { asBoth, type KubeObject, type TenantClient, useProduct } from '../support/as-tenant.ts';
import { eventually } from '../support/processes.ts';
import { madePod, upstreamPod } from '../support/rich-pod.ts';
import { dnsProgram } from './support/pod-programs.ts';
import { MAKING_MS } from './support/programs.ts';

const RULE = fileURLToPath(new URL('../../deploy/dns/rewrite.conf', import.meta.url));
const { acme, globex, both, host } = useProduct();
const controlPlane = inject('controlPlane');
const resolver = new Resolver();

let folder: string;
let server: Child;
beforeAll(async () => {
  const file = await dnsProgram();
  folder = mkdtempSync(join(tmpdir(), 'kubeveil-dns-'));
  const [port, health] = [await choosePort(undefined, 'DNS'), await choosePort(undefined, 'the health of DNS')];
  const block = [
    'bind 127.0.0.1',
    'errors',
    `ready 127.0.0.1:${health}`,
    readFileSync(RULE, 'utf8'),
    'kubernetes cluster.local {',
    `kubeconfig ${controlPlane.adminKubeconfigPath}`,
    '}',
  ];
  writeFileSync(join(folder, 'Corefile'), `.:${port} {\n${block.join('\n')}\n}\n`);
  const logPath = join(folder, 'dns.log');
  const args = ['-conf', join(folder, 'Corefile')];
  server = await startChild({ name: 'coredns', file, args, logPath, env: { HOME: folder } });
  await eventually(`CoreDNS is ready\n${logTail(logPath)}`, async () => {
    if (!server.running) throw new Error(`CoreDNS ended\n${logTail(logPath)}`);
    return await fetch(`http://127.0.0.1:${health}/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  });
  resolver.setServers([`127.0.0.1:${port}`]);
}, MAKING_MS);
afterAll(async () => {
  await server?.stop(10_000);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const SERVICE = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ name: 'http', port: 80 }] },
});

/** Makes Services in a namespace `dns-shop`, and a pod in `dns-web`. @returns addresses by the name of the Service */
async function shop(tenant: TenantClient, names: readonly string[]): Promise<Map<string, string>> {
  for (const namespace of ['dns-shop', 'dns-web']) await tenant.kubectl(`create namespace ${namespace}`);
  await madePod(tenant, 'dns-web', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asker' },
    spec: { containers: [{ name: 'c', image: 'example.com/asker' }] },
  });
  const addresses = new Map<string, string>();
  for (const name of names) {
    const { object } = await tenant.write('POST', '/api/v1/namespaces/dns-shop/services', SERVICE(name));
    addresses.set(name, object.spec.clusterIP);
  }
  return addresses;
}

/** As the resolver of a C library reads `resolv.conf`: few dots, the search list first. Undefined for no such name. */
async function asPod<T>(tenant: TenantClient, name: string, ask: (name: string) => Promise<T>): Promise<T | undefined> {
  const { dnsConfig } = (await upstreamPod(host, tenant, 'dns-web', 'asker')).spec;
  const ndots = Number(dnsConfig.options.findLast((option: KubeObject) => option.name === 'ndots').value);
  const searched = dnsConfig.searches.map((suffix: string) => `${name}.${suffix}`);
  const isAbsolute = name.endsWith('.');
  const few = name.split('.').length - 1 < ndots;
  for (const tried of isAbsolute ? [name] : few ? [...searched, name] : [name, ...searched]) {
    const found = await ask(tried).catch((error: { code?: string }) => {
      if (['ENOTFOUND', 'ENODATA', 'EREFUSED', 'ESERVFAIL'].includes(error.code ?? '')) return undefined;
      throw error;
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

const address = (name: string) => resolver.resolve4(name);

describe('names that a tenant’s pod looks up', () => {
  it('lead to its tenant’s Services, and to no other’s', async () => {
    const only = { acme: ['db', 'ours'], globex: ['db', 'theirs'] };
    const [own = new Map(), others = new Map()] = await asBoth(both, (tenant) =>
      shop(tenant, only[tenant.id as keyof typeof only]),
    );
    // One of the host's own that bears the same names.
    await host.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dns-shop' } });
    for (const name of ['db', 'hosts']) await host.create('/api/v1/namespaces/dns-shop/services', SERVICE(name));

    for (const [tenant, addresses] of [
      [acme, own],
      [globex, others],
    ] as const) {
      for (const name of ['db.dns-shop', 'db.dns-shop.svc', 'db.dns-shop.svc.cluster.local', 'DB.dns-shop']) {
        await eventually(`${name} is known`, async () => (await asPod(tenant, name, address)) !== undefined);
        expect(await asPod(tenant, name, address), name).toEqual([addresses.get('db')]);
      }
      const service = (await tenant.json('/api/v1/namespaces/default/services/kubernetes')).spec.clusterIP;
      for (const name of ['kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'])
        expect(await asPod(tenant, name, address), name).toEqual([service]);
    }

    await eventually(
      'the others are known',
      async () => (await asPod(globex, 'theirs.dns-shop', address)) !== undefined,
    );
    await eventually(
      'the host’s is known',
      async () => (await asPod(acme, 'hosts.dns-shop.svc.cluster.local.', address)) !== undefined,
    );
    for (const name of ['theirs', 'hosts'])
      for (const form of ['', '.svc'])
        expect(await asPod(acme, `${name}.dns-shop${form}`, address), `${name}${form}`).toBeUndefined();
    expect(await asPod(acme, 'ours.dns-shop', address)).toEqual([own.get('ours')]);
    expect(await asPod(acme, 'example.com', address)).toBeUndefined();
  });

  it('are answered in the tenant’s terms', async () => {
    const ask = (name: string) => resolver.resolveSrv(name);
    const name = '_http._tcp.db.dns-shop.svc.cluster.local';
    const records = await asPod(acme, name, ask);
    expect(records).toMatchObject([{ port: 80, name: 'db.dns-shop.svc.cluster.local.acme.tenants.cluster.local' }]);
  });
});
