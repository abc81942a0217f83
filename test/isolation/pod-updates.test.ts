/** A pod goes back as its tenant read it, in every form of an update, and stays what it was on the host. */
import { describe, expect, it } from 'vitest';
import { asBoth, inNamespace, type KubeObject, useProduct } from '../support/as-tenant.ts';
import { eventually } from '../support/processes.ts';
import { madePod, richPod, upstreamPod } from '../support/rich-pod.ts';

const { acme, both, host } = useProduct();

describe('a pod that comes back', () => {
  const MERGE = { headers: { 'content-type': 'application/merge-patch+json' } };
  const STRATEGIC = { headers: { 'content-type': 'application/strategic-merge-patch+json' } };
  const JSON_PATCH = { headers: { 'content-type': 'application/json-patch+json' } };

  it('as it was read is taken, and stays what it was on the host', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'clients-put', async (namespace) => {
        await madePod(tenant, namespace, richPod('rich'));
        const path = `/api/v1/namespaces/${namespace}/pods/rich`;
        await eventually('it runs', async () => (await tenant.json(path)).status.phase === 'Running');
        const [read, before] = [await tenant.json(path), await upstreamPod(host, tenant, namespace, 'rich')];
        const put = { ...read, metadata: { ...read.metadata, labels: { app: 'changed' } } };
        const { status, object } = await tenant.write('PUT', path, put);
        expect(status, JSON.stringify(object)).toBe(200);
        expect(object.spec).toEqual(read.spec);
        const after = await upstreamPod(host, tenant, namespace, 'rich');
        expect(after.spec).toEqual(before.spec);
        expect(after.metadata.annotations).toEqual(before.metadata.annotations);
      }),
    );
  });

  it.each<[string, (pod: KubeObject) => unknown, object]>([
    ['a merge patch of its containers', ({ spec }) => ({ spec: { containers: spec.containers } }), MERGE],
    ['a merge patch of its annotations', () => ({ metadata: { annotations: null } }), MERGE],
    ['a strategic patch', () => ({ metadata: { labels: { a: 'b' } }, spec: { dnsPolicy: 'ClusterFirst' } }), STRATEGIC],
    [
      'a JSON patch',
      ({ spec }) => [
        { op: 'test', path: '/spec/containers/1/env/0/name', value: 'API' },
        { op: 'test', path: '/spec/volumes', value: spec.volumes },
        { op: 'add', path: '/metadata/annotations', value: { a: 'b' } },
        { op: 'replace', path: '/spec/containers/0/image', value: 'example.com/other' },
      ],
      JSON_PATCH,
    ],
  ])('in %s stays what it was on the host', async (what, patch, options) => {
    const namespace = `clients-${what.replaceAll(/[^a-z]+/gi, '-').toLowerCase()}`;
    await inNamespace(acme, namespace, async () => {
      await madePod(acme, namespace, richPod('rich'));
      const path = `/api/v1/namespaces/${namespace}/pods/rich`;
      const [read, before] = [await acme.json(path), await upstreamPod(host, acme, namespace, 'rich')];
      const { status, object } = await acme.write('PATCH', path, patch(read), options);
      expect(status, JSON.stringify(object)).toBe(200);
      const after = await upstreamPod(host, acme, namespace, 'rich');
      const withoutImages = ({ spec }: KubeObject) => JSON.parse(JSON.stringify(spec).replaceAll('/other"', '/pause"'));
      const placed = (pod: KubeObject) => ({ ...withoutImages(pod), nodeName: undefined });
      expect(placed(after)).toEqual(placed(before));
      expect(after.metadata.annotations).toMatchObject(before.metadata.annotations);
    });
  });

  it.each([
    ['dnsPolicy', { dnsPolicy: 'Default' }],
    ['dnsConfig', { dnsConfig: { searches: ['example.org'] } }],
    ['env', { containers: [{ name: 'bare', env: [{ name: 'MORE', value: '1' }] }] }],
  ])('with another %s is refused, and nothing is told of what is not the tenant’s', async (field, spec) => {
    await inNamespace(acme, `clients-no-${field.toLowerCase()}`, async (namespace) => {
      await madePod(acme, namespace, richPod('rich'));
      const path = `/api/v1/namespaces/${namespace}/pods/rich`;
      const { status, object } = await acme.write('PATCH', path, { spec }, STRATEGIC);
      expect({ status, reason: object.reason }).toEqual({ status: 422, reason: 'Invalid' });
      expect(object.message).toMatch(/^Pod "rich" is invalid: spec: Forbidden: pod updates may not change fields/);
    });
  });

  it('with another container to look into it is told of its cluster there, too', async () => {
    await inNamespace(acme, 'clients-debug', async (namespace) => {
      await madePod(acme, namespace, richPod('rich'));
      const path = `/api/v1/namespaces/${namespace}/pods/rich`;
      const debugging = (name: string) => ({ name, image: 'example.com/debug' });
      for (const name of ['one', 'two']) {
        const body = { spec: { ephemeralContainers: [debugging(name)] } };
        const { status, object } = await acme.write('PATCH', `${path}/ephemeralcontainers`, body, STRATEGIC);
        expect(status, JSON.stringify(object)).toBe(200);
        expect(object.spec.ephemeralContainers.at(-1).env).toBeUndefined();
      }
      const { spec } = await upstreamPod(host, acme, namespace, 'rich');
      for (const { env } of spec.ephemeralContainers)
        expect(env.map(({ name }: KubeObject) => name)).toEqual(['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT']);
    });
  });

  it('by kubectl apply differs in nothing', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'clients-apply', async (namespace) => {
        for (const [name, way] of [
          ['one', ''],
          ['two', '--server-side'],
        ] as const) {
          const stdin = JSON.stringify(richPod(name));
          await tenant.kubectl(`-n ${namespace} apply ${way} -f -`, { stdin });
          const before = await tenant.get(`pod ${name} -n ${namespace}`);
          // Ends with code 1 where there is a difference.
          expect(await tenant.kubectl(`-n ${namespace} diff ${way} -f -`, { stdin })).toBe('');
          // The client alone cannot tell that what it leaves out is what the server filled in.
          const again = await tenant.kubectl(`-n ${namespace} apply ${way} -f -`, { stdin });
          expect(again).toBe(`pod/${name} ${way === '' ? 'configured' : 'serverside-applied'}`);
          const after = await tenant.get(`pod ${name} -n ${namespace}`);
          expect(after.spec).toEqual({ ...before.spec, nodeName: after.spec.nodeName });
          const { resourceVersion: _now, ...metadata } = after.metadata;
          expect(before.metadata).toMatchObject(metadata);
        }
      }),
    );
  });
});
