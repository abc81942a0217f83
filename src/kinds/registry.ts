/**
 * Which kinds exist for one tenant: the built-in rows as its profile and policy cut them, in the versions that the host
 * serves, and the kinds of its own CRDs. What is not found here is 404 and not in discovery.
 *
 * Built-in and shared groups come first: no CRD of a tenant can ever stand in for `apps`.
 */
import { notSynced } from '../errors.ts';
import type { Informer } from '../k8s/informer.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rowAt } from './at-version.ts';
import { createCustomIndex } from './custom-index.ts';
import type { HostVersions } from './host-versions.ts';
import {
  ANY_RESOURCE,
  type Kind,
  type KindAtVersion,
  type KindRegistry,
  type Profile,
  type ResourceKey,
  VIRTUAL_VERSION,
} from './kind.ts';
import { forProfile } from './profile.ts';
import { resourceKey } from './row.ts';
import { KINDS, kindByName, kindOf } from './table.ts';

export interface KindRegistryOptions {
  /** Informer of the host's CustomResourceDefinitions, at least of those with the tenant label. */
  readonly customKinds: Pick<Informer, 'subscribe' | 'synced'>;
  /** What the host serves now; asked at each look-up, so that it may be read again later. */
  readonly versions: () => HostVersions;
  /** Groups of host CRDs that policies share with tenants. */
  readonly sharedGroups: ReadonlySet<string>;
  readonly profileOf: (tenant: Tenant) => Profile;
  /** Cuts single built-in kinds by policy; everything that the profile offers when left out. */
  readonly isOffered?: (tenant: Tenant, key: ResourceKey) => boolean;
}

/** The registry, and what discovery and the lister of namespaces' contents need besides. */
export interface ListingKindRegistry extends KindRegistry {
  /** Every kind that exists for the tenant, once per version. */
  list(tenant: Tenant): Iterable<KindAtVersion>;
}

const BUILT_IN_GROUPS: ReadonlySet<string> = new Set(KINDS.map((kind) => kind.group));

/** By the kind's name alone: they all share one group upstream. */
const VIRTUAL_KINDS: ReadonlyMap<string, Kind> = new Map(
  KINDS.filter((kind) => Object.values(kind.classes).includes('virtual')).map((kind) => [kind.kind, kind]),
);

/** Look-ups in a group that is not the host's throw ERR_UNAVAILABLE until the CRDs are known. */
export function createKindRegistry(options: KindRegistryOptions): ListingKindRegistry {
  const custom = createCustomIndex(options.customKinds);

  function isHostGroup(group: string): boolean {
    return BUILT_IN_GROUPS.has(group) || options.sharedGroups.has(group);
  }

  function isServed(kind: Kind, version: string): boolean {
    const resources = options.versions().get(kind.group)?.get(version);
    if (kind.byMetric === undefined) return resources?.has(kind.resource) === true;
    return resources !== undefined && kind.byMetric.includes(version);
  }

  function builtIn(tenant: Tenant, kind: Kind | undefined, version: string): KindAtVersion | undefined {
    if (kind === undefined) return undefined;
    const profile = options.profileOf(tenant);
    const kindClass = kind.classes[profile];
    if (kindClass === 'absent') return undefined;
    // Objects of another version have other fields; what is stored as one could not be shown as the other.
    if (kindClass === 'virtual' && version !== VIRTUAL_VERSION) return undefined;
    if (!isServed(kind, version)) return undefined;
    if (options.isOffered?.(tenant, resourceKey(kind.group, kind.resource)) === false) return undefined;
    return rowAt(forProfile(kind, profile), kindClass, version);
  }

  function preferred(tenant: Tenant, kind: Kind | undefined): KindAtVersion | undefined {
    for (const version of (kind && options.versions().get(kind.group)?.keys()) ?? []) {
      const found = builtIn(tenant, kind, version);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function requireSynced(): void {
    if (options.customKinds.synced) return;
    throw notSynced('custom resource definitions');
  }

  return {
    isHostGroup,
    byResource(tenant, group, version, resource) {
      if (isHostGroup(group)) {
        return builtIn(tenant, kindOf(group, resource) ?? kindOf(group, ANY_RESOURCE), version);
      }
      requireSynced();
      return custom.byResource(tenant.id, group, resource)?.get(version);
    },
    byKind(tenant, group, version, kind) {
      if (isHostGroup(group)) return builtIn(tenant, kindByName(group, kind), version);
      requireSynced();
      return custom.byKind(tenant.id, group, kind)?.get(version);
    },
    *versionsOf(tenant, group, resource) {
      if (!isHostGroup(group)) {
        requireSynced();
        yield* custom.byResource(tenant.id, group, resource)?.values() ?? [];
        return;
      }
      for (const version of options.versions().get(group)?.keys() ?? []) {
        const found = builtIn(tenant, kindOf(group, resource), version);
        if (found !== undefined) yield found;
      }
    },
    preferredByResource(tenant, group, resource) {
      if (isHostGroup(group)) return preferred(tenant, kindOf(group, resource));
      requireSynced();
      return first(custom.byResource(tenant.id, group, resource));
    },
    preferredByKind(tenant, group, kind) {
      if (isHostGroup(group)) return preferred(tenant, kindByName(group, kind));
      requireSynced();
      return first(custom.byKind(tenant.id, group, kind));
    },
    virtualByKind(tenant, kind) {
      const found = preferred(tenant, VIRTUAL_KINDS.get(kind));
      return found?.class === 'virtual' ? found : undefined;
    },
    *list(tenant) {
      requireSynced();
      for (const kind of KINDS) {
        for (const version of options.versions().get(kind.group)?.keys() ?? []) {
          const found = builtIn(tenant, kind, version);
          if (found !== undefined) yield found;
        }
      }
      yield* custom.list(tenant.id);
    },
  };
}

function first(versions: ReadonlyMap<string, KindAtVersion> | undefined): KindAtVersion | undefined {
  return versions?.values().next().value;
}
