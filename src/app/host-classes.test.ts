import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import type { Profile, ResourceKey } from '../kinds/kind.ts';
import type { Policies } from '../policy/policy.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { createHostNames } from './host-classes.ts';

const SC: ResourceKey = 'storage.k8s.io/storageclasses';
const PC: ResourceKey = 'scheduling.k8s.io/priorityclasses';
const PV: ResourceKey = '/persistentvolumes';
const MARK = 'storageclass.kubernetes.io/is-default-class';
const KEPT = 'storageclass.kubeveil.dev/is-default-class';

const ACME = { id: 'acme' as TenantId } as Tenant;

interface Lab {
  profile?: Profile;
  /** Names that the policy lists; left out: `all`. */
  listed?: string[];
  objects?: Partial<Record<ResourceKey, JsonObject[]>>;
}

function lab({ profile = 'trusted', listed, objects = {} }: Lab) {
  const informers = new Map(
    Object.entries(objects).map(([key, all]) => {
      const byName = new Map((all ?? []).map((one) => [(one['metadata'] as { name: string }).name, one]));
      return [
        key as ResourceKey,
        { get: (_ns: string, name: string) => byName.get(name), list: () => byName.values() },
      ];
    }),
  );
  const policy = {
    profile,
    shares: (key: ResourceKey, name: string) => listed?.includes(name) ?? !(key === PC && name.startsWith('system-')),
    lists: (_key: ResourceKey, name: string) => listed?.includes(name) ?? false,
  };
  const policies = { of: () => policy } as unknown as Policies;
  return createHostNames(informers, policies, (id) => ['acme', 'globex'].includes(id));
}

function object(name: string, owner?: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const labels = owner === undefined ? {} : { 'kubeveil.dev/tenant': owner };
  return { metadata: { name, labels, ...metadata }, ...more };
}

describe('names of the host', () => {
  const objects = { [SC]: [object('standard'), object('acme--fast', 'acme'), object('globex--slow', 'globex')] };

  it('are those of objects that are there, where all are shared', () => {
    const names = lab({ objects });
    expect(names.namesHost(ACME, SC, 'standard')).toBe(true);
    expect(names.namesHost(ACME, SC, 'none-such')).toBe(false);
    expect(names.isPublished(ACME, SC, 'standard')).toBe(true);
  });

  it('are those that the policy lists, whether they are there yet or not', () => {
    const names = lab({ objects, listed: ['gold'] });
    expect(names.namesHost(ACME, SC, 'gold')).toBe(true);
    expect(names.namesHost(ACME, SC, 'standard')).toBe(false);
    expect(names.isPublished(ACME, SC, 'standard')).toBe(false);
  });

  it('are never those of a tenant’s objects', () => {
    for (const profile of ['trusted', 'baseline', 'restricted'] as const) {
      const names = lab({ objects, profile });
      for (const name of ['acme--fast', 'globex--slow', 'globex--none-such']) {
        expect(names.namesHost(ACME, SC, name)).toBe(false);
        expect(names.isPublished(ACME, SC, name)).toBe(false);
      }
    }
  });

  it('give way to an object of the tenant’s own', () => {
    const both = { [SC]: [object('same'), object('acme--same', 'acme')] };
    expect(lab({ objects: both }).namesHost(ACME, SC, 'same')).toBe(false);
    expect(lab({ objects: both }).isPublished(ACME, SC, 'same')).toBe(false);
    // A tenant that holds none does not come back to what it held once.
    expect(lab({ objects: both, profile: 'baseline' }).namesHost(ACME, SC, 'same')).toBe(true);
    const others = { [SC]: [object('same'), object('acme--same', 'globex')] };
    expect(lab({ objects: others }).namesHost(ACME, SC, 'same')).toBe(true);
  });

  it('include a default that is not shared: the host writes it itself', () => {
    const marked = { [SC]: [object('standard', undefined, {}, { annotations: { [MARK]: 'true' } })] };
    const names = lab({ objects: marked, listed: [] });
    expect(names.namesHost(ACME, SC, 'standard')).toBe(true);
    expect(names.isPublished(ACME, SC, 'standard')).toBe(false);
    expect(lab({ objects: { [SC]: [object('standard')] }, listed: [] }).namesHost(ACME, SC, 'standard')).toBe(false);
  });

  it('of volumes are those whose claim is the tenant’s', () => {
    const volume = (name: string, namespace: string) => object(name, undefined, { spec: { claimRef: { namespace } } });
    const names = lab({
      objects: { [PV]: [volume('pvc-1', 'acme--web'), volume('pvc-2', 'globex--web'), object('free')] },
    });
    expect(names.namesHost(ACME, PV, 'pvc-1')).toBe(true);
    for (const name of ['pvc-2', 'free', 'none']) expect(names.namesHost(ACME, PV, name)).toBe(false);
  });

  it('of the system are not shared with all', () => {
    const names = lab({ objects: { [PC]: [object('system-node-critical'), object('high')] } });
    expect(names.namesHost(ACME, PC, 'system-node-critical')).toBe(false);
    expect(names.namesHost(ACME, PC, 'high')).toBe(true);
  });
});

describe('the default class', () => {
  const made = (name: string, at: string, owner: string | undefined, key: string) =>
    object(name, owner, {}, { creationTimestamp: at, annotations: { [key]: 'true' } });

  it('is the newest of the tenant’s own', () => {
    const all = [
      made('acme--old', '2026-01-01T00:00:00Z', 'acme', KEPT),
      made('acme--b', '2026-01-02T00:00:00Z', 'acme', KEPT),
      made('acme--a', '2026-01-02T00:00:00Z', 'acme', KEPT),
      made('globex--new', '2026-01-03T00:00:00Z', 'globex', KEPT),
      made('standard', '2026-01-04T00:00:00Z', undefined, MARK),
    ];
    expect(lab({ objects: { [SC]: all } }).defaultOf(ACME, SC)).toEqual({ own: 'a' });
    expect(lab({ objects: { [SC]: all.slice(3) } }).defaultOf(ACME, SC)).toBe('host');
    expect(lab({ objects: { [SC]: all.slice(3, 4) } }).defaultOf(ACME, SC)).toBeUndefined();
    expect(lab({ objects: { [SC]: all }, profile: 'baseline' }).defaultOf(ACME, SC)).toBe('host');
  });

  it('of priorities is a field', () => {
    const own = object('acme--usual', 'acme', {}, { annotations: { 'kubeveil.dev/global-default': 'true' } });
    expect(lab({ objects: { [PC]: [own] } }).defaultOf(ACME, PC)).toEqual({ own: 'usual' });
    expect(lab({ objects: { [PC]: [object('usual', undefined, { globalDefault: true })] } }).defaultOf(ACME, PC)).toBe(
      'host',
    );
  });
});

it('knows what a tenant holds', () => {
  const names = lab({ objects: { [SC]: [object('acme--fast', 'acme')], [PV]: [object('acme--pv', 'acme')] } });
  expect(names.holds(ACME, 'fast')).toBe(true);
  expect(names.holds(ACME, 'pv')).toBe(true);
  expect(names.holds(ACME, 'other')).toBe(false);
});
