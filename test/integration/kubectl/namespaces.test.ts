/** Namespaces, by kubectl: any name is free, whoever else has it; deletion takes everything in it along, and ends. */
import { describe, expect, it } from 'vitest';
import { asBoth, type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { asManifest, samples } from '../../support/samples.ts';

const { both, host } = useProduct();

// Deletions take their time on the host, so those tests wait for theirs together.
describe('namespaces', () => {
  it('are those of a new cluster at first, and `default` has its account', async () => {
    await asBoth(both, async (tenant) => {
      const names = (await tenant.kubectl('get namespaces -o name')).split('\n');
      for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
        expect(names).toContain(`namespace/${name}`);
        expect(await tenant.get(`namespace ${name}`)).toMatchObject({ status: { phase: 'Active' } });
      }
      expect(await tenant.kubectl('get serviceaccount default -o name')).toBe('serviceaccount/default');
    });
  });

  it.concurrent('go through every verb, under the same name in both tenants', async () => {
    await asBoth(both, async (tenant) => {
      await tenant.kubectl('create namespace ns-verbs');
      await tenant.refused('create namespace ns-verbs');
      await tenant.kubectl('label namespace ns-verbs team=one');
      await tenant.kubectl('annotate namespace ns-verbs example.com/note=before');
      await tenant.kubectl('edit namespace ns-verbs', { env: { KUBE_EDITOR: 'sed -i s/before/after/' } });
      for (const [type, patch] of [
        ['json', [{ op: 'add', path: '/metadata/labels/json', value: 'yes' }]],
        ['merge', { metadata: { labels: { merge: 'yes' } } }],
        ['strategic', { metadata: { labels: { strategic: 'yes' } } }],
      ] as const) {
        await tenant.kubectl(`patch namespace ns-verbs --type=${type} --patch='${JSON.stringify(patch)}'`);
      }
      const manifest = {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'ns-verbs', labels: { applied: 'yes' } },
      };
      await tenant.apply(manifest, '--server-side');
      const found = await tenant.get('namespace ns-verbs');
      expect(found.metadata.labels).toEqual({
        'kubernetes.io/metadata.name': 'ns-verbs',
        'pod-security.kubernetes.io/enforce': 'baseline',
        team: 'one',
        json: 'yes',
        merge: 'yes',
        strategic: 'yes',
        applied: 'yes',
      });
      expect(found.metadata.annotations).toEqual({ 'example.com/note': 'after' });
      expect(found.metadata.finalizers).toBeUndefined();
      expect(await tenant.kubectl('get namespaces -l team=one -o name')).toBe('namespace/ns-verbs');
      expect(await tenant.kubectl('get namespaces --field-selector metadata.name=ns-verbs -o name')).toBe(
        'namespace/ns-verbs',
      );
      expect(await tenant.kubectl('get namespace ns-verbs -o wide')).toMatch(/ns-verbs +Active/);
      expect(await tenant.kubectl('describe namespace ns-verbs')).toMatch(/Name: +ns-verbs[\s\S]*No resource quota/);
      await tenant.kubectl('delete namespace ns-verbs --timeout=120s');
      expect(await tenant.refused('get namespace ns-verbs')).toBe(
        'Error from server (NotFound): namespaces "ns-verbs" not found',
      );
    });
  });

  it('get a generated name', async () => {
    await asBoth(both, async (tenant) => {
      const made = await tenant.create(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'gen-' } },
        '-o name',
      );
      expect(made).toMatch(/^namespace\/gen-[a-z0-9]{5}$/);
      expect(await tenant.kubectl(`get ${made} -o name`)).toBe(made);
      await tenant.kubectl(`delete ${made} --wait=false`);
    });
  });

  it.concurrent('end with everything that was in them', async () => {
    await asBoth(both, async (tenant) => {
      await tenant.kubectl('create namespace ns-full');
      await tenant.kubectl('create -n ns-full -f -', { stdin: asManifest(samples('ns-full')) });
      await tenant.kubectl('wait -n ns-full pod/sample --for=condition=Ready --timeout=120s');
      await tenant.kubectl('delete namespace ns-full --timeout=150s');
      expect(await tenant.kubectl('get namespace ns-full --ignore-not-found -o name')).toBe('');
      const { status } = await host.send('GET', `/api/v1/namespaces/${tenant.id}--ns-full`);
      expect(status).toBe(404);
    });
  });

  it.concurrent('wait for a finalizer of the tenant, and end when it is cleared', async () => {
    await asBoth(both, async (tenant) => {
      await tenant.kubectl('create namespace ns-held');
      const metadata = { name: 'held', finalizers: ['example.com/hold'] };
      await tenant.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, '-n ns-held');
      await tenant.kubectl('delete namespace ns-held --wait=false');
      const phase = '--for=jsonpath={.status.phase}=Terminating';
      await tenant.kubectl(`wait namespace/ns-held ${phase} --timeout=120s`);
      expect(await tenant.kubectl('get configmap held -n ns-held -o name')).toBe('configmap/held');
      expect(await tenant.refused('create configmap late -n ns-held')).toContain('because it is being terminated');
      await tenant.kubectl(`patch configmap held -n ns-held --type=merge -p '{"metadata":{"finalizers":null}}'`);
      await tenant.kubectl('wait namespace/ns-held --for=delete --timeout=150s');
    });
  });

  it('are made on the host at the first write to one that every cluster has', async () => {
    await asBoth(both, async (tenant) => {
      await tenant.kubectl('create configmap first -n kube-public --from-literal=a=b');
      expect(await tenant.get('configmap first -n kube-public')).toMatchObject({ data: { a: 'b' } });
      const list = (await tenant.get('namespaces')) as KubeObject;
      const names = list.items.map((item: KubeObject) => item.metadata.name);
      expect(names.filter((name: string) => name === 'kube-public')).toHaveLength(1);
      await tenant.kubectl('delete configmap first -n kube-public');
      const { metadata } = await tenant.json('/api/v1/namespaces/kube-public');
      const managers = metadata.managedFields.map(({ manager }: { manager: string }) => manager);
      expect(managers[0]).toBe('kube-apiserver');
    });
  });

  it('refuse writes when they do not exist, and read as empty', async () => {
    await asBoth(both, async (tenant) => {
      expect(await tenant.refused('create configmap a -n no-such')).toContain('namespaces "no-such" not found');
      expect((await tenant.get('configmaps -n no-such')).items).toEqual([]);
      expect(await tenant.refused('get configmap a -n no-such')).toContain('namespaces "no-such" not found');
    });
  });

  it('keep annotations that a host would act on, which never reach it', async () => {
    const key = 'scheduler.alpha.kubernetes.io/node-selector';
    const annotations = async (tenant: (typeof both)[number]) =>
      (await tenant.get('namespace ns-places')).metadata.annotations;
    await asBoth(both, async (tenant) => {
      await tenant.kubectl('create namespace ns-places');
      await tenant.kubectl(`annotate namespace ns-places ${key}=a=b`);
      expect(await annotations(tenant)).toMatchObject({ [key]: 'a=b' });
      const path = `/metadata/annotations/${key.replace('/', '~1')}`;
      for (const [type, patch] of [
        ['json', [{ op: 'replace', path, value: 'json=1' }]],
        ['merge', { metadata: { annotations: { [key]: 'merge=1' } } }],
        ['strategic', { metadata: { annotations: { [key]: 'strategic=1' } } }],
      ] as const) {
        await tenant.kubectl(`patch namespace ns-places --type=${type} -p '${JSON.stringify(patch)}'`);
        expect(await annotations(tenant)).toMatchObject({ [key]: `${type}=1` });
      }
      const applied = {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'ns-places', annotations: { [key]: '' } },
      };
      await tenant.kubectl('apply --server-side --force-conflicts -f -', { stdin: JSON.stringify(applied) });
      expect(await annotations(tenant)).toMatchObject({ [key]: '' });
      const stored = (await host.send('GET', `/api/v1/namespaces/${tenant.id}--ns-places`)).body as KubeObject;
      expect(Object.keys(stored.metadata.annotations)).not.toContain(key);
      await tenant.kubectl(`annotate namespace ns-places ${key}-`);
      expect(Object.keys((await annotations(tenant)) ?? {})).not.toContain(key);
      await tenant.kubectl('delete namespace ns-places --wait=false');
    });
  });
});
