/**
 * Pods as clients of their own virtual cluster: what the host's policy puts into them is there, for pods of controllers
 * too, and the tenant sees nothing of it: the same pod, made on a plain cluster, looks the same.
 */
import { describe, expect, it } from 'vitest';
import { asBoth, inNamespace, type KubeObject, useProduct } from '../support/as-tenant.ts';
import { eventually } from '../support/processes.ts';
import { POD_DNS } from '../support/product.ts';
import { AUDIENCE, field, madePod, podShape, richPod, upstreamPod } from '../support/rich-pod.ts';

const { acme, both, host, facts } = useProduct();

describe('a pod', () => {
  it('looks as on a plain cluster, whatever it uses', async () => {
    const path = '/api/v1/namespaces/default/pods';
    const plain = await host.send('POST', path, richPod('clients-plain'));
    expect(plain.status, JSON.stringify(plain.body)).toBe(201);
    try {
      await asBoth(both, (tenant) =>
        inNamespace(tenant, 'clients-look', async (namespace) => {
          const pod = await madePod(tenant, namespace, richPod('clients-plain'));
          expect(podShape(pod)).toEqual(podShape(plain.body));
        }),
      );
    } finally {
      await host.send('DELETE', `${path}/clients-plain?gracePeriodSeconds=0`);
    }
  });

  it('is told of its own cluster, and of no other', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'clients-told', async (namespace) => {
        await madePod(tenant, namespace, richPod('rich'));
        const { metadata, spec } = await upstreamPod(host, tenant, namespace, 'rich');
        const { hostname, port } = new URL(facts.server);
        expect(metadata.annotations).toEqual({
          'kubeveil.dev/namespace': namespace,
          'kubeveil.dev/service-host': hostname,
          'kubeveil.dev/service-port': port,
          'kubeveil.dev/audiences': `2/projected/sources/1=${AUDIENCE}`,
          'kubeveil.dev/dns': 'ClusterFirst',
        });
        const serviceHost = {
          name: 'KUBERNETES_SERVICE_HOST',
          ...field("metadata.annotations['kubeveil.dev/service-host']"),
        };
        const servicePort = {
          name: 'KUBERNETES_SERVICE_PORT',
          ...field("metadata.annotations['kubeveil.dev/service-port']"),
        };
        const [bare, full, own] = spec.containers;
        expect(bare.env).toEqual([serviceHost, servicePort]);
        expect(full.env.slice(0, 3)).toEqual([serviceHost, servicePort, richPod('rich').spec.containers[1].env[0]]);
        expect(own.env).toEqual([servicePort, { name: 'KUBERNETES_SERVICE_HOST', value: '192.0.2.77' }]);
        const inFields = field("metadata.annotations['kubeveil.dev/namespace']");
        expect(spec.initContainers[0].env).toEqual([serviceHost, servicePort, { name: 'NS', ...inFields }]);
        const text = JSON.stringify(spec);
        expect(text).not.toContain('"kube-root-ca.crt"');
        expect(text).not.toContain('metadata.namespace');
        const audiences = [...text.matchAll(/"audience":"([^"]+)"/g)].map(([, audience]) => audience);
        const api = `kubeveil.dev/${tenant.facts.uid}`;
        expect(audiences).toEqual([api, api, `${api}/vault`, api]);
        const domain = `${tenant.id}.tenants.cluster.local`;
        expect({ policy: spec.dnsPolicy, ...spec.dnsConfig }).toEqual({
          policy: 'None',
          nameservers: [POD_DNS, '192.0.2.53'],
          searches: [
            `${namespace}.svc.cluster.local.${domain}`,
            `svc.cluster.local.${domain}`,
            `cluster.local.${domain}`,
            domain,
            'example.com',
          ],
          options: [
            { name: 'ndots', value: '2' },
            { name: 'ndots', value: '7' },
          ],
        });
      }),
    );
  });

  it('of a controller is told the same', async () => {
    await inNamespace(acme, 'clients-made', async (namespace) => {
      await acme.kubectl(`-n ${namespace} create deployment web --image=example.com/web`);
      const path = `/api/v1/namespaces/acme--${namespace}/pods`;
      const find = async () => ((await host.send('GET', path)).body as KubeObject).items as KubeObject[];
      await eventually('the pod is there', async () => (await find()).length === 1);
      const [pod] = await find();
      expect(pod.spec.containers[0].env.map(({ name }: KubeObject) => name)).toEqual([
        'KUBERNETES_SERVICE_HOST',
        'KUBERNETES_SERVICE_PORT',
      ]);
      const [shown] = (await acme.get(`pods -n ${namespace}`)).items;
      expect(shown.spec.containers[0].env).toBeUndefined();
      expect(shown.spec.dnsPolicy).toBe('ClusterFirst');
      expect(JSON.stringify(shown)).not.toContain('kubeveil');
    });
  });

  it.each(['None', 'Default'])('keeps the DNS that it chose: %s', async (policy) => {
    await inNamespace(acme, `clients-dns-${policy.toLowerCase()}`, async (namespace) => {
      const spec = { containers: [{ name: 'c', image: 'example.com/pause' }] };
      const own = { dnsPolicy: policy, ...(policy === 'None' && { dnsConfig: { nameservers: ['192.0.2.53'] } }) };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { ...spec, ...own } };
      expect((await madePod(acme, namespace, pod)).spec).toMatchObject(own);
      expect((await upstreamPod(host, acme, namespace, 'p')).spec).toMatchObject(own);
    });
  });

  it.each<[string, object]>([
    ['no containers', { containers: null }],
    ['a volume without sources', { containers: [{ name: 'c', image: 'x' }], volumes: [{ name: 'v', projected: {} }] }],
    [
      'four name servers',
      { ...richPod('p').spec, dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] } },
    ],
  ])('with %s is answered as on a plain cluster', async (what, spec) => {
    const namespace = `clients-odd-${what.replaceAll(' ', '-')}`;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
    const plain = await host.send('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod);
    await inNamespace(acme, namespace, async () => {
      const { status, object } = await acme.write('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
      const { reason } = plain.body as KubeObject;
      expect({ status, reason: object.reason }).toEqual({ status: plain.status, reason });
    });
  });
});
