/** Custom resources: each tenant defines kinds of its own, of the same group and name as the other's, and differently. */
import { beforeAll, describe, expect, it } from 'vitest';
import { asBoth, inNamespace, type KubeObject, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { whenEstablished } from '../../support/established.ts';
import { eventually } from '../../support/processes.ts';

const { acme, globex, both } = useProduct();
const GROUP = 'stable.example.com';

/** The same kind, whose one field is a number for acme and a word for globex. */
function definition(type: 'integer' | 'string'): KubeObject {
  const spec = {
    type: 'object',
    properties: { size: { type, description: 'how large it is' }, replicas: { type: 'integer' } },
  };
  const status = { type: 'object', properties: { replicas: { type: 'integer' } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `crontabs.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'], categories: ['all'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
          additionalPrinterColumns: [
            { name: 'Size', type, jsonPath: '.spec.size' },
            { name: 'Where', type: 'string', jsonPath: '.metadata.namespace' },
          ],
        },
      ],
    },
  };
}

function cronTab(size: unknown, name = 'mine'): KubeObject {
  return { apiVersion: `${GROUP}/v1`, kind: 'CronTab', metadata: { name }, spec: { size, replicas: 1 } };
}

function sizeOf(tenant: TenantClient): number | string {
  return tenant === acme ? 7 : 'large';
}

beforeAll(async () => {
  await asBoth(both, async (tenant) => {
    await tenant.create(definition(tenant === acme ? 'integer' : 'string'));
    await whenEstablished(tenant, `crontabs.${GROUP}`);
    await eventually('the kind is served', async () => (await tenant.run('get crontabs -A')).code === 0);
  });
});

describe('a definition', () => {
  it('is read back under the names that it was made with', async () => {
    await asBoth(both, async (tenant) => {
      const found = await tenant.get(`crd crontabs.${GROUP}`);
      expect(found.spec.group).toBe(GROUP);
      expect(found.status.acceptedNames).toMatchObject({ plural: 'crontabs', kind: 'CronTab' });
      expect(found.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.type).toBe(
        tenant === acme ? 'integer' : 'string',
      );
      expect(await tenant.kubectl(`get crd -o name`)).toContain(
        `customresourcedefinition.apiextensions.k8s.io/crontabs.${GROUP}`,
      );
      expect(await tenant.kubectl(`describe crd crontabs.${GROUP}`)).toMatch(/Established/);
      await tenant.kubectl(`label crd crontabs.${GROUP} team=one`);
      expect(await tenant.kubectl('get crd -l team=one -o name')).toContain('crontabs');
    });
  });

  it('is in discovery, and explained', async () => {
    await asBoth(both, async (tenant) => {
      expect(await tenant.kubectl('api-versions')).toContain(`${GROUP}/v1`);
      const resources = await tenant.kubectl(`api-resources --api-group=${GROUP} --no-headers`);
      expect(resources).toMatch(/^crontabs +ct +stable\.example\.com\/v1 +true +CronTab$/);
      // As with Kubernetes itself, the OpenAPI comes a moment after the kind.
      let explained = '';
      await eventually('it is explained', async () => {
        explained = (await tenant.run('explain crontab.spec.size')).stdout;
        return explained !== '';
      });
      expect(explained).toContain('how large it is');
      expect(explained).toContain(`GROUP:      ${GROUP}`);
      expect(explained).toContain(tenant === acme ? '<integer>' : '<string>');
    });
  });

  it('is refused for a group of the host', async () => {
    await asBoth(both, async (tenant) => {
      const stolen = definition('string');
      stolen.metadata.name = 'crontabs.apps';
      stolen.spec.group = 'apps';
      expect(await tenant.refused('create -f -', { stdin: JSON.stringify(stolen) })).not.toBe('');
    });
  });
});

describe('custom resources', () => {
  it('go through every verb, each tenant by its own schema', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'custom', async (n) => {
        const size = sizeOf(tenant);
        await tenant.create(cronTab(size), `-n ${n}`);
        const wrong = JSON.stringify(cronTab(typeof size === 'number' ? 'large' : 7, 'wrong'));
        expect(await tenant.refused(`create -n ${n} -f -`, { stdin: wrong })).toMatch(/spec\.size: Invalid value/);
        expect((await tenant.get(`ct mine -n ${n}`)).spec.size).toBe(size);
        expect(await tenant.kubectl(`get crontabs -n ${n} --no-headers`)).toMatch(new RegExp(`^mine +${size} +${n}$`));
        expect(await tenant.kubectl(`get crontabs -A -o name`)).toContain(`crontab.${GROUP}/mine`);
        expect(await tenant.kubectl(`get all -n ${n} -o name`)).toBe(`crontab.${GROUP}/mine`);
        await tenant.kubectl(`label crontab mine -n ${n} team=one`);
        for (const [type, patch] of [
          ['json', [{ op: 'add', path: '/metadata/labels/json', value: 'yes' }]],
          ['merge', { metadata: { labels: { merge: 'yes' } } }],
        ] as const) {
          await tenant.kubectl(`patch crontab mine -n ${n} --type=${type} -p '${JSON.stringify(patch)}'`);
        }
        await tenant.apply(cronTab(size), `-n ${n} --server-side --force-conflicts`);
        await tenant.apply(cronTab(size, 'applied'), `-n ${n}`);
        expect(await tenant.apply(cronTab(size, 'applied'), `-n ${n}`)).toContain('unchanged');
        await tenant.kubectl(`edit crontab mine -n ${n}`, {
          env: { KUBE_EDITOR: 'sed -i s/replicas:.1/replicas:\\ 2/' },
        });
        await tenant.kubectl(`scale crontab mine -n ${n} --replicas=3`);
        const found = await tenant.get(`crontab mine -n ${n} --show-managed-fields`);
        expect(found).toMatchObject({ apiVersion: `${GROUP}/v1`, spec: { size, replicas: 3 } });
        expect(found.metadata.labels).toEqual({ team: 'one', json: 'yes', merge: 'yes' });
        const versions = found.metadata.managedFields.map(({ apiVersion }: KubeObject) => apiVersion);
        expect(new Set(versions)).toEqual(new Set([`${GROUP}/v1`]));
        await tenant.kubectl(
          `patch crontab mine -n ${n} --subresource=status --type=merge -p '{"status":{"replicas":3}}'`,
        );
        expect((await tenant.get(`crontab mine -n ${n}`)).status).toEqual({ replicas: 3 });
        await tenant.kubectl(`delete crontab mine -n ${n}`);
        await tenant.kubectl(`delete --raw /apis/${GROUP}/v1/namespaces/${n}/crontabs`);
        expect((await tenant.get(`crontabs -n ${n}`)).items).toEqual([]);
      }),
    );
  });

  it('are watched, and own other objects', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'custom-owners', async (n) => {
        await using watch = tenant.follow(`get crontabs -A -w --output-watch-events --no-headers`);
        await tenant.create(cronTab(sizeOf(tenant)), `-n ${n}`);
        await watch.line((line) => new RegExp(`^ADDED +${n} +mine`).test(line));
        const { uid } = (await tenant.get(`crontab mine -n ${n}`)).metadata;
        const owner = { apiVersion: `${GROUP}/v1`, kind: 'CronTab', name: 'mine', uid };
        const metadata = { name: 'owned', ownerReferences: [owner] };
        await tenant.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, `-n ${n}`);
        expect((await tenant.get(`configmap owned -n ${n}`)).metadata.ownerReferences).toEqual([owner]);
        await tenant.kubectl(`delete crontab mine -n ${n}`);
        await watch.line((line) => new RegExp(`^DELETED +${n} +mine`).test(line));
        await tenant.kubectl(`wait configmap/owned -n ${n} --for=delete --timeout=120s`);
        tenant.mustBeClean(watch.text());
      }),
    );
  });
});

describe('cluster-scoped custom resources', () => {
  it('keep their names, in the group of their tenant', async () => {
    await asBoth(both, async (tenant) => {
      const crd = definition('string');
      const group = 'wide.example.com';
      crd.metadata.name = `zones.${group}`;
      crd.spec.group = group;
      crd.spec.scope = 'Cluster';
      crd.spec.names = { plural: 'zones', singular: 'zone', kind: 'Zone' };
      await tenant.create(crd);
      await whenEstablished(tenant, `zones.${group}`);
      const zone = {
        apiVersion: `${group}/v1`,
        kind: 'Zone',
        metadata: { name: 'north' },
        spec: { size: tenant.id.length > 4 ? 'b' : 'a' },
      };
      await eventually(
        'the kind takes writes',
        async () => (await tenant.run('create -f -', { stdin: JSON.stringify(zone) })).code === 0,
      );
      expect((await tenant.get('zone north')).spec).toEqual(zone.spec);
      expect(await tenant.kubectl('get zones -o name')).toBe(`zone.${group}/north`);
      await tenant.kubectl('label zone north team=one');
      await tenant.kubectl('delete zone north');
      expect(await tenant.kubectl('get zones -o name')).toBe('');
    });
  });
});

describe('the end of a definition', () => {
  it('takes its objects along, and leaves the other tenant its own', async () => {
    const crd = definition('string');
    crd.metadata.name = 'crontabs.gone.example.com';
    crd.spec.group = 'gone.example.com';
    const object = { ...cronTab('small'), apiVersion: 'gone.example.com/v1' };
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'custom-gone', async (n) => {
        await tenant.create(crd);
        await whenEstablished(tenant, 'crontabs.gone.example.com');
        await eventually('the kind takes writes', async () => {
          return (await tenant.run(`create -n ${n} -f -`, { stdin: JSON.stringify(object) })).code === 0;
        });
      }),
    );
    await acme.kubectl('delete crd crontabs.gone.example.com --timeout=120s');
    await acme.refused('get crontabs.gone.example.com -A');
    expect(await globex.kubectl('get crontabs.gone.example.com -n custom-gone -o name')).toBe(
      'crontab.gone.example.com/mine',
    );
  });
});
