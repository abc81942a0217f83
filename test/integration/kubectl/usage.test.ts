/** `kubectl get usages`: a tenant is shown what it uses of what it may use, as any kind of Kubernetes is shown. */
import { describe, expect, it } from 'vitest';
import { useProduct } from '../../support/as-tenant.ts';

const { acme, globex } = useProduct();
const USAGES = '/apis/usage.kubeveil.dev/v1alpha1/usages';

async function used(tenant: typeof acme, name: string): Promise<{ used: number; limit: number }> {
  const { status } = await tenant.json(`${USAGES}/${name}`);
  return { used: Number(status.used), limit: Number(status.limit) };
}

describe('what a tenant uses', () => {
  it('is a table', async () => {
    const table = await acme.kubectl('get usages');
    expect(table).toMatch(/^NAME +USED +LIMIT +SCOPE +COUNTED BY\n/);
    expect(table).toMatch(/^requests +[1-9]\d* +100 +Cluster +Replica$/m);
    expect(table).toMatch(/^namespaces +\d+ +500 +Cluster +Host$/m);
    expect(table).toMatch(/^request-body +<not counted> +\d+ +Request/m);
    expect(await acme.kubectl('get usage watches')).toMatch(/^watches +\d+ +2000 /m);
    expect(await acme.refused('get usage nothing')).toContain('usages.usage.kubeveil.dev "nothing" not found');
  });

  it('grows with it, and not with what another tenant has', async () => {
    const before = [await used(acme, 'namespaces'), await used(globex, 'namespaces')] as const;
    await acme.kubectl('create namespace usage-grows');
    const after = [await used(acme, 'namespaces'), await used(globex, 'namespaces')] as const;
    expect(after[0].used).toBe(before[0].used + 1);
    expect(after[1]).toEqual(before[1]);
    const watches = await used(globex, 'watches');
    using watch = await acme.watch('/api/v1/namespaces/usage-grows/configmaps?watch=true');
    expect(watch.status).toBe(200);
    expect((await used(acme, 'watches-of-user')).used).toBeGreaterThan(0);
    expect((await used(globex, 'watches')).used).toBe(watches.used);
  });

  it('is in discovery and OpenAPI', async () => {
    const resources = await acme.kubectl('api-resources --api-group=usage.kubeveil.dev -o wide');
    expect(resources).toMatch(/^usages +usage\.kubeveil\.dev\/v1alpha1 +false +Usage +get,list/m);
    expect(await acme.kubectl('explain usage.status')).toMatch(/countedBy\t<string>/);
    const { paths } = await acme.json('/openapi/v2', { typed: ['acme.io/'] });
    const own = Object.keys(paths).filter((path) => path.includes('/usage.kubeveil.dev/v1alpha1/'));
    expect(own).toEqual([USAGES, `${USAGES}/{name}`]);
    for (const path of own) expect(Object.keys(paths[path]).sort()).toEqual(['get', 'parameters']);
  });

  it('is for those whom the tenant’s roles let see it', async () => {
    const asJane = '--as=usage-jane';
    expect(await acme.refused(`get usages ${asJane}`)).toContain(
      'User "usage-jane" cannot list resource "usages" in API group "usage.kubeveil.dev" at the cluster scope',
    );
    await acme.kubectl('create clusterrole usage-reader --verb=get,list --resource=usages.usage.kubeveil.dev');
    await acme.kubectl('create clusterrolebinding usage-reader --clusterrole=usage-reader --user=usage-jane');
    expect(await acme.kubectl(`get usages ${asJane} -o name`)).toContain('usage.usage.kubeveil.dev/requests');
  });

  it('is nobody’s to write, and not followed', async () => {
    const body = { apiVersion: 'usage.kubeveil.dev/v1alpha1', kind: 'Usage', metadata: { name: 'requests' } };
    for (const [method, path] of [
      ['POST', USAGES],
      ['PUT', `${USAGES}/requests`],
      ['DELETE', `${USAGES}/requests`],
      ['DELETE', USAGES],
    ] as const) {
      expect((await acme.write(method, path, body)).status, `${method} ${path}`).toBe(405);
    }
    expect((await acme.send(`${USAGES}?watch=true`)).status).toBe(405);
    expect((await acme.send(`${USAGES}/requests/status`)).status).toBe(404);
  });
});
