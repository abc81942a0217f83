/** The Service `kubernetes` of each virtual cluster: as the plain API server has it, each tenant's own, and lasting. */
import { describe, expect, it } from 'vitest';
import { asBoth, type KubeObject, useProduct } from '../support/as-tenant.ts';
import { eventually } from '../support/processes.ts';
import { ADVERTISED } from '../support/product.ts';

const { acme, globex, both, host } = useProduct();
const CORE = '/api/v1/namespaces/default';
const PATHS = [
  `${CORE}/services/kubernetes`,
  `${CORE}/endpoints/kubernetes`,
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
];
const [ADDRESS = '', PORT = ''] = ADVERTISED.split(':');

/** What must be alike, apart from addresses. */
function shape({ apiVersion, kind, metadata, spec, subsets, addressType, endpoints, ports }: KubeObject): object {
  const { clusterIP: _one, clusterIPs: _all, ...said } = spec ?? {};
  const whole = { apiVersion, kind, labels: metadata.labels, said, subsets, addressType, endpoints, ports };
  return JSON.parse(JSON.stringify(whole));
}

async function stored(tenant: typeof acme, path: string): Promise<KubeObject> {
  await eventually(`${path} is there`, async () => (await tenant.write('GET', path, undefined)).status === 200);
  return (await tenant.write('GET', path, undefined)).object;
}

describe('the Service kubernetes', () => {
  it('is there for each tenant, under an address of its own', async () => {
    const services = await asBoth(both, (tenant) => stored(tenant, PATHS[0] ?? ''));
    const addresses = services.map(({ spec }) => spec.clusterIP);
    expect(new Set(addresses).size).toBe(2);
    for (const address of addresses) expect(address).toMatch(/^[0-9.]+$/);
  });

  it('is as the host’s own, but that it leads to the proxy', async () => {
    const own = (await host.send('GET', PATHS[0] ?? '')).body as KubeObject;
    const [port] = own.spec.ports;
    const wanted = shape({ ...own, spec: { ...own.spec, ports: [{ ...port, targetPort: Number(PORT) }] } });
    const [service, endpoints, slice] = await Promise.all(PATHS.map((path) => stored(acme, path)));
    expect(shape(service)).toEqual(wanted);
    expect(endpoints.subsets).toMatchObject([{ addresses: [{ ip: ADDRESS }], ports: [{ port: Number(PORT) }] }]);
    expect(slice.endpoints).toMatchObject([{ addresses: [ADDRESS], conditions: { ready: true } }]);
    expect(slice.metadata.labels).toEqual({ 'kubernetes.io/service-name': 'kubernetes' });
  });

  it.each(PATHS)('%s comes back when its tenant deletes it, and stays the other’s', async (path) => {
    const [before, others] = await Promise.all([stored(acme, path), stored(globex, path)]);
    expect((await acme.write('DELETE', path, undefined)).status).toBe(200);
    await eventually('there is a new one', async () => {
      const { status, object } = await acme.write('GET', path, undefined);
      return status === 200 && object.metadata.uid !== before.metadata.uid;
    });
    expect(shape(await stored(acme, path))).toEqual(shape(before));
    expect((await stored(globex, path)).metadata.uid).toBe(others.metadata.uid);
  });

  it('leads to the proxy again when its tenant turns it elsewhere', async () => {
    const path = PATHS[2] ?? '';
    const elsewhere = { endpoints: [{ addresses: ['203.0.113.9'] }] };
    const headers = { 'content-type': 'application/merge-patch+json' };
    await stored(acme, path);
    expect((await acme.write('PATCH', path, elsewhere, { headers })).status).toBe(200);
    await eventually('it leads to the proxy', async () => {
      const { object } = await acme.write('GET', path, undefined);
      return JSON.stringify(object.endpoints?.[0]?.addresses) === JSON.stringify([ADDRESS]);
    });
  });
});
