/**
 * Every namespaced built-in kind, by kubectl: made, read in all forms, labelled, annotated, patched, applied, edited,
 * replaced, deleted one by one and as a collection. Both tenants do it at once, under the same names.
 */
import { describe, expect, inject, it } from 'vitest';
import { kindOf } from '../../support/api.ts';
import { asBoth, inNamespace, type KubeObject, type TenantClient, useProduct } from '../../support/as-tenant.ts';
import { type Ran, runKubectl } from '../../support/kubectl.ts';
import { asManifest, fileOf, samples } from '../../support/samples.ts';

const { both } = useProduct();

/** `deployment.apps/sample`, as `-o name` has it; events of both groups are the same resource. */
const NAMES = samples('any').map((object) => {
  const { group, kind } = kindOf(object);
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${(object['metadata'] as { name: string }).name}`;
});

/** Runs `act` in a namespace of its own with every sample in it, as both tenants. */
function withSamples(namespace: string, act: (tenant: TenantClient, n: string) => Promise<void>): Promise<unknown> {
  return asBoth(both, (tenant) =>
    inNamespace(tenant, namespace, async () => {
      const created = await tenant.kubectl(`create -n ${namespace} -f -`, { stdin: asManifest(samples(namespace)) });
      expect(created.split('\n')).toEqual(NAMES.map((name) => `${name} created`));
      await act(tenant, `-n ${namespace}`);
    }),
  );
}

function manifest(namespace: string): { stdin: string } {
  return { stdin: asManifest(samples(namespace)) };
}

async function listed(tenant: TenantClient, n: string, stdin: string): Promise<KubeObject[]> {
  return (JSON.parse(await tenant.kubectl(`get ${n} -f - -o json`, { stdin })) as KubeObject).items;
}

describe('every namespaced built-in kind', () => {
  it('is among the samples', () => {
    expect(NAMES.length).toBe(30);
    expect(new Set(NAMES).size).toBe(NAMES.length);
  });

  it('is created and read as name, table, wide table, YAML and JSON', async () => {
    const namespace = 'kinds-read';
    await withSamples(namespace, async (tenant, n) => {
      const input = manifest(namespace);
      expect((await tenant.kubectl(`get ${n} -f - -o name`, input)).split('\n')).toEqual(NAMES);
      for (const form of ['', '-o wide', '-o yaml']) {
        const printed = await tenant.kubectl(`get ${n} -f - ${form}`, input);
        expect(printed.match(/sample/g)?.length).toBeGreaterThanOrEqual(NAMES.length);
      }
      const items = await listed(tenant, n, input.stdin);
      expect(items.map((item) => item.metadata.namespace)).toEqual(NAMES.map(() => namespace));
    });
  });

  it('is labelled, annotated and patched in all ways', async () => {
    const namespace = 'kinds-patch';
    await withSamples(namespace, async (tenant, n) => {
      const input = manifest(namespace);
      await tenant.kubectl(`label ${n} -f - step=one`, input);
      await tenant.kubectl(`annotate ${n} -f - example.com/note=two`, input);
      for (const [type, patch] of [
        ['json', [{ op: 'add', path: '/metadata/labels/json', value: 'yes' }]],
        ['merge', { metadata: { labels: { merge: 'yes' } } }],
        ['strategic', { metadata: { labels: { strategic: 'yes' } } }],
      ] as const) {
        await tenant.kubectl(`patch ${n} -f - --type=${type} --patch='${JSON.stringify(patch)}'`, input);
      }
      for (const { metadata } of await listed(tenant, n, input.stdin)) {
        expect(metadata.labels).toMatchObject({ step: 'one', json: 'yes', merge: 'yes', strategic: 'yes' });
        expect(metadata.annotations).toMatchObject({ 'example.com/note': 'two' });
      }
    });
  });

  it('is applied by the client and by the server, with the same outcome as on a plain cluster', async () => {
    const namespace = 'kinds-apply';
    const commands = ['apply', 'apply', 'apply --server-side --force-conflicts', 'apply --server-side', 'diff'];
    const outcomes = async (kubectl: (args: string) => Promise<Ran>): Promise<string[]> => {
      await kubectl(`create namespace ${namespace}`);
      const all: string[] = [];
      for (const command of commands) {
        const { code, stdout } = await kubectl(`${command} -n ${namespace} -f -`);
        all.push(`${command} ended with ${code}`, ...stdout.trim().split('\n'));
      }
      return all;
    };
    const input = manifest(namespace);
    const { adminKubeconfigPath } = inject('controlPlane');
    const expected = await outcomes((args) => runKubectl(adminKubeconfigPath, args.split(' '), input));
    expect(expected.filter((line) => line.endsWith('created'))).toHaveLength(NAMES.length);
    expect(expected.filter((line) => line.endsWith('serverside-applied'))).toHaveLength(2 * NAMES.length);
    await asBoth(both, async (tenant) => {
      expect(await outcomes((args) => tenant.run(args, input))).toEqual(expected);
    });
  });

  it('is edited and replaced', async () => {
    const namespace = 'kinds-edit';
    await withSamples(namespace, async (tenant, n) => {
      const input = manifest(namespace);
      await tenant.kubectl(`annotate ${n} -f - example.com/note=before-edit`, input);
      const env = { KUBE_EDITOR: 'sed -i s/before-edit/after-edit/' };
      await tenant.kubectl(`edit ${n} -f ${fileOf(input.stdin)}`, { env });
      const items = await listed(tenant, n, input.stdin);
      expect(new Set(items.map(({ metadata }) => metadata.annotations['example.com/note']))).toEqual(
        new Set(['after-edit']),
      );

      for (const item of items) item.metadata.labels = { ...item.metadata.labels, replaced: 'yes' };
      // Controllers write status meanwhile, so what was read may be a version behind.
      for (const item of items) delete item.metadata.resourceVersion;
      const replaced = await tenant.kubectl(`replace ${n} -f -`, { stdin: asManifest(items) });
      expect(replaced.split('\n')).toEqual(NAMES.map((name) => `${name} replaced`));
      const after = await listed(tenant, n, input.stdin);
      expect(new Set(after.map(({ metadata }) => metadata.labels.replaced))).toEqual(new Set(['yes']));
    });
  });

  it('is read and made as one List, as `get -o yaml` prints it', async () => {
    const namespace = 'kinds-list';
    await withSamples('kinds-list-a', async (tenant, n) => {
      const list = await tenant.kubectl(`get configmap/sample service/sample deployment/sample ${n} -o yaml`);
      await tenant.kubectl(`create namespace ${namespace}`);
      const moved = list
        .replaceAll('namespace: kinds-list-a', `namespace: ${namespace}`)
        .replaceAll(/^ +(uid|resourceVersion|clusterIPs?|- 10\.).*\n/gm, '');
      const made = await tenant.kubectl(`create -n ${namespace} -f -`, { stdin: moved });
      expect(made.split('\n')).toEqual(expect.arrayContaining(['configmap/sample created', 'service/sample created']));
    });
  });

  it('is deleted by name and is gone', async () => {
    const namespace = 'kinds-delete';
    await withSamples(namespace, async (tenant, n) => {
      const input = manifest(namespace);
      const deleted = await tenant.kubectl(`delete ${n} -f - --timeout=120s`, input);
      expect(deleted.split('\n')).toHaveLength(NAMES.length);
      expect(await tenant.kubectl(`get ${n} -f - --ignore-not-found -o name`, input)).toBe('');
    });
  });
});
