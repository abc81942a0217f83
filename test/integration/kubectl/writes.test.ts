/** Apply, patch and delete in depth, by kubectl: what is merged, what is owned, what is refused, and what is left. */
import { describe, expect, it } from 'vitest';
import { asBoth, inNamespace, type KubeObject, useProduct } from '../../support/as-tenant.ts';
import { eventually } from '../../support/processes.ts';

const { both } = useProduct();

function deployment(containers: readonly KubeObject[], more: KubeObject = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', ...more },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
    },
  };
}

describe('server-side apply', () => {
  it('shares an object among managers and refuses to take over a field', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'ssa', async (n) => {
        const map = (data: Record<string, string>) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'm' },
          data,
        });
        await tenant.apply(map({ a: '1' }), `-n ${n} --server-side --field-manager=first`);
        await tenant.apply(map({ b: '2' }), `-n ${n} --server-side --field-manager=second`);
        const conflict = await tenant.refused(`apply -n ${n} --server-side --field-manager=second -f -`, {
          stdin: JSON.stringify(map({ a: '3', b: '2' })),
        });
        expect(conflict).toMatch(/conflict with "first"[\s\S]*\.data\.a/);
        await tenant.apply(map({ a: '3', b: '2' }), `-n ${n} --server-side --field-manager=second --force-conflicts`);
        const found = await tenant.get(`configmap m -n ${n} --show-managed-fields`);
        expect(found.data).toEqual({ a: '3', b: '2' });
        const managers = found.metadata.managedFields.map(({ manager, operation }: KubeObject) => [manager, operation]);
        expect(managers).toContainEqual(['second', 'Apply']);
        // What `second` no longer names is gone.
        await tenant.apply(map({ b: '2' }), `-n ${n} --server-side --field-manager=second`);
        expect((await tenant.get(`configmap m -n ${n}`)).data).toEqual({ b: '2' });
      }),
    );
  });

  it('merges lists by their key', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'ssa-lists', async (n) => {
        const first = deployment([{ name: 'main', image: 'nginx' }]);
        await tenant.apply(first, `-n ${n} --server-side --field-manager=first`);
        const side = deployment([{ name: 'side', image: 'busybox' }]);
        await tenant.apply(side, `-n ${n} --server-side --field-manager=second`);
        const { spec } = await tenant.get(`deployment web -n ${n}`);
        expect(spec.template.spec.containers.map(({ name }: KubeObject) => name)).toEqual(['main', 'side']);
      }),
    );
  });
});

describe('patches', () => {
  it('of all four types change what they say and nothing else', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'patches', async (n) => {
        await tenant.create(deployment([{ name: 'main', image: 'nginx' }]), `-n ${n}`);
        const patch = (type: string, document: unknown) =>
          tenant.kubectl(`patch deployment web -n ${n} --type=${type} -p '${JSON.stringify(document)}'`);
        const names = async () =>
          (await tenant.get(`deployment web -n ${n}`)).spec.template.spec.containers.map(
            ({ name }: KubeObject) => name,
          );
        await patch('strategic', {
          spec: { template: { spec: { containers: [{ name: 'side', image: 'busybox' }] } } },
        });
        expect(await names()).toEqual(['side', 'main']);
        await patch('strategic', {
          spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } },
        });
        expect(await names()).toEqual(['main']);
        await patch('json', [
          { op: 'test', path: '/metadata/name', value: 'web' },
          { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'httpd' },
        ]);
        await patch('merge', { spec: { template: { spec: { containers: [{ name: 'only', image: 'caddy' }] } } } });
        expect(await names()).toEqual(['only']);
        await tenant.apply(deployment([{ name: 'only', image: 'traefik' }]), `-n ${n} --server-side --force-conflicts`);
        expect((await tenant.get(`deployment web -n ${n}`)).spec.template.spec.containers[0].image).toBe('traefik');
      }),
    );
  });

  it('that a test operation forbids change nothing', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'patch-test', async (n) => {
        await tenant.kubectl(`create configmap m -n ${n} --from-literal=a=1`);
        const patch = [
          { op: 'test', path: '/metadata/namespace', value: 'other' },
          { op: 'replace', path: '/data/a', value: '2' },
        ];
        await tenant.refused(`patch configmap m -n ${n} --type=json -p '${JSON.stringify(patch)}'`);
        patch[0] = { op: 'test', path: '/metadata/namespace', value: n };
        expect((await tenant.get(`configmap m -n ${n}`)).data).toEqual({ a: '1' });
        await tenant.kubectl(`patch configmap m -n ${n} --type=json -p '${JSON.stringify(patch)}'`);
        expect((await tenant.get(`configmap m -n ${n}`)).data).toEqual({ a: '2' });
      }),
    );
  });
});

describe('a dry run', () => {
  it('answers as the real thing would, and stores nothing', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'dry-run', async (n) => {
        const made = await tenant.kubectl(`create configmap m -n ${n} --from-literal=a=1 --dry-run=server -o json`);
        expect(JSON.parse(made)).toMatchObject({ metadata: { name: 'm', namespace: n, uid: expect.any(String) } });
        expect(await tenant.kubectl(`get configmaps m -n ${n} --ignore-not-found -o name`)).toBe('');
      }),
    );
  });
});

describe('deletion', () => {
  it('of a collection takes those that the selector names, in one request', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'delete-many', async (n) => {
        for (const name of ['a', 'b', 'c']) await tenant.kubectl(`create configmap ${name} -n ${n}`);
        await tenant.kubectl(`label configmap a b -n ${n} go=yes`);
        await tenant.kubectl(`delete --raw /api/v1/namespaces/${n}/configmaps?labelSelector=go%3Dyes`);
        expect(await tenant.kubectl(`get configmaps -n ${n} -l !root -o name`)).toMatch(/^configmap\/c(\n|$)/);
        await tenant.kubectl(`delete configmaps --all -n ${n}`);
        expect(await tenant.kubectl(`get configmap c -n ${n} --ignore-not-found -o name`)).toBe('');
      }),
    );
  });

  it('takes dependants along, or leaves them when told to', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'owners', async (n) => {
        for (const mode of ['background', 'foreground', 'orphan']) {
          await tenant.kubectl(`create configmap owner -n ${n}`);
          const { uid } = (await tenant.get(`configmap owner -n ${n}`)).metadata;
          const ownerReferences = [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true },
          ];
          const metadata = { name: `dependant-${mode}`, ownerReferences };
          await tenant.create({ apiVersion: 'v1', kind: 'Secret', metadata }, `-n ${n}`);
          const stored = await tenant.get(`secret dependant-${mode} -n ${n}`);
          expect(stored.metadata.ownerReferences).toEqual(ownerReferences);
          await tenant.kubectl(`delete configmap owner -n ${n} --cascade=${mode} --timeout=120s`);
          if (mode === 'orphan') {
            await eventually('the owner is taken off', async () => {
              return (await tenant.get(`secret dependant-${mode} -n ${n}`)).metadata.ownerReferences === undefined;
            });
          } else {
            await tenant.kubectl(`wait secret/dependant-${mode} -n ${n} --for=delete --timeout=120s`);
          }
        }
      }),
    );
  });

  it('with a precondition on another uid is refused', async () => {
    await asBoth(both, (tenant) =>
      inNamespace(tenant, 'preconditions', async (n) => {
        await tenant.kubectl(`create configmap m -n ${n}`);
        const path = `/api/v1/namespaces/${n}/configmaps/m`;
        const { uid } = (await tenant.get(`configmap m -n ${n}`)).metadata;
        const options = (value: string) => ({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: value } });
        const refused = await tenant.write('DELETE', path, options('00000000-0000-0000-0000-000000000000'));
        expect(refused).toMatchObject({ status: 409, object: { kind: 'Status', reason: 'Conflict' } });
        expect(await tenant.write('DELETE', path, options(uid))).toMatchObject({ status: 200 });
      }),
    );
  });
});
