/** Lists and watches, by kubectl: of one namespace and of all, in pages, filtered, and as they change. */
import { describe, expect, it } from 'vitest';
import { asBoth, inNamespace, type KubeObject, type TenantClient, useProduct } from '../../support/as-tenant.ts';

const { both } = useProduct();

function configMap(name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } };
}

async function make(tenant: TenantClient, namespace: string, names: readonly string[]): Promise<void> {
  const manifest = names.map((name) => JSON.stringify(configMap(name, { made: namespace }))).join('\n---\n');
  await tenant.create(manifest, `-n ${namespace}`);
}

describe('lists', () => {
  it('hold the objects of all namespaces, in the order of a real cluster', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'lists-a', () =>
        inNamespace(tenant, 'lists-b', async () => {
          await make(tenant, 'lists-b', ['one', 'two']);
          await make(tenant, 'lists-a', ['two', 'one']);
          const all = await tenant.get('configmaps -A -l made');
          const keys = all.items.map(({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`);
          expect(keys).toEqual(['lists-a/one', 'lists-a/two', 'lists-b/one', 'lists-b/two']);
          expect(all.metadata.resourceVersion).toBe('');
          const table = await tenant.kubectl('get configmaps -A -l made --no-headers');
          expect(table.split('\n').map((line) => line.split(/ +/).slice(0, 3).join(' '))).toEqual([
            'lists-a one 0',
            'lists-a two 0',
            'lists-b one 0',
            'lists-b two 0',
          ]);
          expect(await tenant.kubectl('get configmaps -A -l made=lists-b -o name')).toBe(
            'configmap/one\nconfigmap/two',
          );
          const selected = await tenant.get(
            'configmaps -A --field-selector metadata.namespace=lists-a,metadata.name=one',
          );
          expect(selected.items.map(({ metadata }: KubeObject) => metadata.namespace)).toEqual(['lists-a']);
        }),
      ),
    );
  });

  it('are the same in pages of any size', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'pages-a', () =>
        inNamespace(tenant, 'pages-b', async () => {
          const names = ['a', 'b', 'c', 'd', 'e'];
          await make(tenant, 'pages-a', names);
          await make(tenant, 'pages-b', names);
          const whole = await tenant.kubectl('get configmaps -A -l made --chunk-size=0 -o name');
          for (const size of [1, 3, 7]) {
            expect(await tenant.kubectl(`get configmaps -A -l made --chunk-size=${size} -o name`)).toBe(whole);
          }
          const one = await tenant.kubectl('get configmaps -n pages-a -l made --chunk-size=2');
          expect(one.split('\n')).toHaveLength(names.length + 1);
        }),
      ),
    );
  });

  it('of several kinds come in one call', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'lists-all', async (namespace) => {
        await tenant.kubectl(`create deployment web --image=nginx -n ${namespace}`);
        await tenant.kubectl(`create service clusterip web --tcp=80 -n ${namespace}`);
        await tenant.kubectl(`rollout status deployment/web -n ${namespace} --timeout=120s`);
        const names = await tenant.kubectl(`get all -n ${namespace} -o name`);
        const kinds = names.split('\n').map((name) => name.split('/')[0]);
        expect(kinds).toEqual(['pod', 'service', 'deployment.apps', 'replicaset.apps']);
      }),
    );
  });
});

describe('watches', () => {
  it.each([
    { scope: 'of one namespace', where: '-n watch-one' },
    { scope: 'of all namespaces', where: '-A -l made' },
  ])('$scope show what is there and what comes', async ({ where }) => {
    const namespace = where.startsWith('-n') ? 'watch-one' : 'watch-all';
    await asBoth(both, (tenant) =>
      inNamespace(tenant, namespace, async () => {
        await make(tenant, namespace, ['before']);
        await using watch = tenant.follow(`get configmaps ${where} --output-watch-events -w --no-headers`);
        await watch.line((line) => /^ADDED .*\bbefore\b/.test(line));
        await make(tenant, namespace, ['after']);
        await watch.line((line) => /^ADDED .*\bafter\b/.test(line));
        await tenant.kubectl(`label configmap after -n ${namespace} changed=yes`);
        await watch.line((line) => /^MODIFIED .*\bafter\b/.test(line));
        await tenant.kubectl(`delete configmap before -n ${namespace}`);
        await watch.line((line) => /^DELETED .*\bbefore\b/.test(line));
        tenant.mustBeClean(watch.text());
      }),
    );
  });

  it('of all namespaces show objects of a namespace that is made later', async () => {
    await asBoth(both, async (tenant) => {
      await using watch = tenant.follow('get configmaps -A -l made=watch-later -w --output-watch-events --no-headers');
      await inNamespace(tenant, 'watch-later', async (namespace) => {
        await make(tenant, namespace, ['new']);
        await watch.line((line) => /^ADDED +watch-later +new/.test(line));
      });
    });
  });

  it('of namespaces show them come and go', async () => {
    await asBoth(both, async (tenant) => {
      await using watch = tenant.follow('get namespaces -w --output-watch-events --no-headers');
      await watch.line((line) => /^ADDED +default /.test(line));
      await tenant.kubectl('create namespace watch-ns');
      await watch.line((line) => /^ADDED +watch-ns +Active/.test(line));
      await tenant.kubectl('delete namespace watch-ns --wait=false');
      await watch.line((line) => /^MODIFIED +watch-ns +Terminating/.test(line));
      await watch.line((line) => /^DELETED +watch-ns/.test(line));
      tenant.mustBeClean(watch.text());
    });
  });

  it('end a wait when the condition comes', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'wait-for', async (namespace) => {
        await make(tenant, namespace, ['flag']);
        const waiting = tenant.kubectl(
          `wait configmap/flag -n ${namespace} --for=jsonpath={.data.up}=yes --timeout=120s`,
        );
        await tenant.kubectl(`patch configmap flag -n ${namespace} --type=merge -p '{"data":{"up":"yes"}}'`);
        expect(await waiting).toBe('configmap/flag condition met');
      }),
    );
  });
});
