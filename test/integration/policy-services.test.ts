/**
 * What a policy file says of Services, endpoints and Ingresses, held by the host, whoever writes them.
 * @see deploy/62-policy-services.yaml
 */
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import type { JsonObject } from '../../src/k8s/types.ts';
import { type PolicyTenants, preparePolicyTenants, upstreamNamespace, writers } from '../support/policy-tenants.ts';
import type { Answer } from '../support/token-client.ts';
import { DRY, expectDone, expectRefused, MERGE } from '../support/walls.ts';

const SAID = `
services: {loadBalancers: true, endpoints: [10.1.0.0/16, '2001:db8::/32']}
ingresses: {hosts: ['*.{tenant}.example.com', shop.example.com], annotations: [example.com/fine, cert-manager.io/]}
`;
let tenants: PolicyTenants;

beforeAll(async () => {
  tenants = await preparePolicyTenants(inject('controlPlane'), {
    default: '',
    said: SAID,
    harmless: 'ingresses: {hosts: all, annotations: harmless}',
    strict: 'profile: restricted',
    open: 'profile: trusted',
  });
  const policies = { 'svc-base': 'default', 'svc-said': 'said', 'svc-strict': 'strict', 'svc-open': 'open' };
  await tenants.make('svc-mild', 'harmless');
  await Promise.all(Object.entries(policies).map(([tenant, policy]) => tenants.make(tenant, policy)));
});
afterAll(() => tenants[Symbol.asyncDispose]());

function service(spec: JsonObject, name = 'a'): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

describe.each(writers(() => tenants))('what %s writes', (_who, ask) => {
  const make = (tenant: string, object: JsonObject): Promise<Answer> =>
    ask(tenant)('POST', `${upstreamNamespace(tenant)}/services${DRY}`, object);

  it.each<[what: string, spec: JsonObject, allowed: readonly string[]]>([
    ['a plain Service', {}, ['svc-base', 'svc-said', 'svc-strict', 'svc-open']],
    ['a NodePort', { type: 'NodePort' }, ['svc-open']],
    ['a LoadBalancer', { type: 'LoadBalancer' }, ['svc-said', 'svc-open']],
    ['an external address', { externalIPs: ['192.0.2.7'] }, ['svc-open']],
    [
      'a name outside of the cluster',
      { type: 'ExternalName', externalName: 'db.example.org' },
      ['svc-base', 'svc-said', 'svc-open'],
    ],
    ['a name of the cluster', { type: 'ExternalName', externalName: 'db.x--web.svc.cluster.local' }, ['svc-open']],
    ['a short name of the cluster', { type: 'ExternalName', externalName: 'db.x--web.svc' }, ['svc-open']],
    // Who looks up a name with few dots tries the cluster's domains first.
    ['a namespace of a tenant', { type: 'ExternalName', externalName: 'db.x--web' }, ['svc-open']],
    ['a namespace of the host', { type: 'ExternalName', externalName: 'kube-dns.kube-system' }, ['svc-open']],
    ['the API server', { type: 'ExternalName', externalName: 'kubernetes.default' }, ['svc-open']],
    ['a part of an address', { type: 'ExternalName', externalName: '0x7f.1' }, ['svc-open']],
    ['another name of this host', { type: 'ExternalName', externalName: 'a.localdomain6' }, ['svc-open']],
    [
      'a name of another script',
      { type: 'ExternalName', externalName: 'db.xn--p1ai' },
      ['svc-base', 'svc-said', 'svc-open'],
    ],
    ['a single word', { type: 'ExternalName', externalName: 'kubernetes' }, ['svc-open']],
    ['an address as a name', { type: 'ExternalName', externalName: '10.0.0.1' }, ['svc-open']],
    ['the metadata of a cloud', { type: 'ExternalName', externalName: 'metadata.google.internal' }, ['svc-open']],
  ])('as a Service: %s', async (_what, spec, allowed) => {
    for (const tenant of ['svc-base', 'svc-said', 'svc-strict', 'svc-open']) {
      const answer = await make(tenant, service(spec));
      if (allowed.includes(tenant)) expectDone(answer);
      else expectRefused(answer, /the policy of this cluster/);
    }
  });

  it.each<[address: string, allowed: readonly string[]]>([
    ['10.1.2.3', ['svc-said', 'svc-open']],
    ['10.2.0.1', ['svc-open']],
    ['2001:db8::1', ['svc-said', 'svc-open']],
    ['2620:fe::9', ['svc-base', 'svc-open']],
    // By translation or a tunnel, or of times before.
    ['64:ff9b::a00:1', ['svc-open']],
    ['64:ff9b:1::a00:1', ['svc-open']],
    ['2002:a00:1::1', ['svc-open']],
    ['2001:0:a00:1::1', ['svc-open']],
    ['::a00:1', ['svc-open']],
    ['fec0::1', ['svc-open']],
    ['fd00::1', ['svc-open']],
    ['203.0.113.9', ['svc-base', 'svc-open']],
    ['192.168.1.1', ['svc-open']],
    ['172.31.255.255', ['svc-open']],
    ['100.64.0.1', ['svc-open']],
    ['198.18.0.1', ['svc-open']],
  ])('as endpoints: %s', async (address, allowed) => {
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'a' },
      addressType: address.includes(':') ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [address] }],
      ports: [{ port: 80 }],
    };
    for (const tenant of ['svc-base', 'svc-said', 'svc-strict', 'svc-open']) {
      const send = ask(tenant);
      const ready = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'a' }, subsets: subsets('addresses') };
      const unready = { ...ready, subsets: subsets('notReadyAddresses') };
      const answers = await Promise.all([
        send('POST', `/apis/discovery.k8s.io/v1/namespaces/${tenant}--default/endpointslices${DRY}`, slice),
        send('POST', `${upstreamNamespace(tenant)}/endpoints${DRY}`, ready),
        send('POST', `${upstreamNamespace(tenant)}/endpoints${DRY}`, unready),
      ]);
      for (const answer of answers) {
        if (allowed.includes(tenant)) expectDone(answer);
        else expectRefused(answer, /endpoints be written with these addresses/);
      }
    }
    function subsets(field: string): JsonObject[] {
      return [{ [field]: [{ ip: address }], ports: [{ port: 80 }] }];
    }
  });

  it('as endpoints by a name', async () => {
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'a' },
      addressType: 'FQDN',
      endpoints: [{ addresses: ['kubernetes.default.svc'] }],
    };
    const send = (tenant: string) =>
      ask(tenant)('POST', `/apis/discovery.k8s.io/v1/namespaces/${tenant}--default/endpointslices${DRY}`, slice);
    expectRefused(await send('svc-base'), /these addresses/);
    expectDone(await send('svc-open'));
  });

  const ingress = (spec: JsonObject, annotations: JsonObject = {}): JsonObject => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'a', annotations },
    spec,
  });
  const backend = { service: { name: 'a', port: { number: 80 } } };
  const rule = (host?: string) => ({
    ...(host !== undefined && { host }),
    http: { paths: [{ path: '/', pathType: 'Prefix', backend }] },
  });
  const claim = (tenant: string, object: JsonObject) =>
    ask(tenant)('POST', `/apis/networking.k8s.io/v1/namespaces/${tenant}--default/ingresses${DRY}`, object);

  it.each<[what: string, spec: JsonObject, allowed: boolean]>([
    ['a host below its own', { rules: [rule('www.svc-said.example.com')] }, true],
    ['all hosts below its own', { rules: [rule('*.svc-said.example.com')] }, true],
    ['a host by name', { rules: [rule('shop.example.com')], tls: [{ hosts: ['shop.example.com'] }] }, true],
    ['the domain itself', { rules: [rule('svc-said.example.com')] }, false],
    ['a host of another', { rules: [rule('www.svc-base.example.com')] }, false],
    ['a host that ends alike', { rules: [rule('evilsvc-said.example.com')] }, false],
    ['no host', { rules: [rule()] }, false],
    ['a backend for all', { defaultBackend: backend }, false],
    ['a backend for all beside its own', { defaultBackend: backend, rules: [rule('shop.example.com')] }, false],
    ['a certificate of another', { rules: [rule('shop.example.com')], tls: [{ hosts: ['x.example.com'] }] }, false],
  ])('as an Ingress: %s', async (_what, spec, allowed) => {
    const answer = await claim('svc-said', ingress(spec));
    if (allowed) expectDone(answer);
    else expectRefused(answer, /\*\.svc-said\.example\.com, shop\.example\.com/);
    expectDone(await claim('svc-open', ingress(spec)));
    expectRefused(await claim('svc-base', ingress(spec)), /: none/);
  });

  it('as annotations of an Ingress', async () => {
    const said = ingress(
      { rules: [rule('shop.example.com')] },
      { 'example.com/fine': 'a', 'cert-manager.io/issuer': 'b' },
    );
    expectDone(await claim('svc-said', said));
    const snippet = { 'nginx.ingress.kubernetes.io/configuration-snippet': 'a' };
    const evil = ingress({ rules: [rule('shop.example.com')] }, snippet);
    expectRefused(await claim('svc-said', evil), /lets an Ingress have these annotations only: example.com\/fine/);
    expectDone(await claim('svc-open', evil));
  });

  it.each([
    ['nginx.ingress.kubernetes.io/server-snippet', false],
    ['nginx.org/location-snippets', false],
    ['haproxy-ingress.github.io/config-backend', false],
    ['nginx.ingress.kubernetes.io/auth-tls-secret', false],
    ['nginx.ingress.kubernetes.io/auth-url', false],
    ['nginx.ingress.kubernetes.io/server-alias', false],
    ['traefik.ingress.kubernetes.io/router.middlewares', false],
    ['alb.ingress.kubernetes.io/group.name', false],
    ['external-dns.alpha.kubernetes.io/hostname', false],
    ['external-dns.alpha.kubernetes.io/ttl', true],
    ['haproxy.org/server-crt', false],
    ['haproxy.org/client-ca', false],
    ['traefik.ingress.kubernetes.io/router.tls.options', false],
    ['zalando.org/skipper-routes', false],
    ['nginx.org/mergeable-ingress-type', false],
    ['nginx.ingress.kubernetes.io/rewrite-target', true],
    ['cert-manager.io/cluster-issuer', true],
  ])('as an annotation of an Ingress that is harmless, or not: %s', async (key, allowed) => {
    const answer = await claim('svc-mild', ingress({ rules: [rule('shop.example.com')] }, { [key]: 'a' }));
    if (allowed) expectDone(answer);
    else expectRefused(answer, /lets an Ingress have no annotations whose keys hold any of: snippet, /);
  });
});

it('a Service that changes is judged again', async () => {
  const ask = tenants.as('svc-base');
  const path = `${upstreamNamespace('svc-base')}/services`;
  expectDone(await ask('POST', path, service({}, 'turns')));
  expectRefused(await ask('PATCH', `${path}/turns`, { spec: { type: 'NodePort' } }, MERGE), /NodePort/);
  expectRefused(await ask('PATCH', `${path}/turns`, { spec: { externalIPs: ['192.0.2.1'] } }, MERGE), /externalIPs/);
  expectDone(await ask('PATCH', `${path}/turns`, { metadata: { labels: { a: 'b' } } }, MERGE));
  expectDone(await ask('DELETE', `${path}/turns`));
});
