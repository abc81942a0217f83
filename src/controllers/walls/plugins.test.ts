import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../k8s/types.ts';
import { HostError } from '../../upstream/host-client.ts';
import { idlePlugins } from './plugins.ts';

/** A host that says this of what it is asked for; undefined lets it through. */
function host(says: (kind: string, storage: string) => string | undefined) {
  return {
    create: async (path: string, object: JsonObject) => {
      const storage = /"storage":"(\w+)"/.exec(JSON.stringify(object))?.[1] ?? '';
      const message = says(String(object['kind']), storage);
      if (message === undefined) return object;
      throw new HostError(`POST ${path}`, 403, Buffer.from(JSON.stringify({ kind: 'Status', message })));
    },
  };
}

const SECURITY = 'pods "x" is forbidden: violates PodSecurity "restricted:latest"';
const LIMIT = 'forbidden: maximum storage usage per PersistentVolumeClaim is 1Mi, but request is 2Mi';
const QUOTA = 'forbidden: exceeded quota: kubeveil-probe, requested: persistentvolumeclaims=1';

describe('admission plugins', () => {
  it('act where each refuses what it must, in its own words', async () => {
    const all = host((kind, storage) => (kind === 'Pod' ? SECURITY : storage === '2Mi' ? LIMIT : QUOTA));
    expect(await idlePlugins(all)).toEqual([]);
  });

  it.each<[string, (kind: string, storage: string) => string | undefined]>([
    [
      'PodSecurity',
      (kind, storage) => (kind === 'Pod' ? 'kubeveil-provisioner makes no pods' : storage === '2Mi' ? LIMIT : QUOTA),
    ],
    ['PodSecurity', (kind, storage) => (kind === 'Pod' ? undefined : storage === '2Mi' ? LIMIT : QUOTA)],
    ['LimitRanger', (kind) => (kind === 'Pod' ? SECURITY : QUOTA)],
    ['ResourceQuota', (kind, storage) => (kind === 'Pod' ? SECURITY : storage === '2Mi' ? LIMIT : undefined)],
  ])('are told where %s does not', async (plugin, says) => {
    expect(await idlePlugins(host(says))).toEqual([
      expect.stringMatching(
        new RegExp(`^the admission plugin ${plugin} does not act on the namespace kubeveil-system: it is`),
      ),
    ]);
  });

  it('are all told where none does', async () => {
    expect(await idlePlugins(host(() => undefined))).toHaveLength(3);
  });

  it('are not judged by an answer of another sort', async () => {
    await expect(idlePlugins(host(() => 'forbidden: not today'))).rejects.toThrow('not today');
  });
});
