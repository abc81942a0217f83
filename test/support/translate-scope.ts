/**
 * Scopes for tests of the translator: over the real table of kinds, for a tenant with two CRDs of its own
 * (`widgets`, namespaced, and `gadgets`, cluster-scoped, both in `stable.example.com`), without any cluster.
 */
import type { InformerEvent } from '../../src/k8s/informer.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { HostVersions } from '../../src/kinds/host-versions.ts';
import type { KindAtVersion, Profile } from '../../src/kinds/kind.ts';
import { createKindRegistry, type ListingKindRegistry } from '../../src/kinds/registry.ts';
import { KINDS } from '../../src/kinds/table.ts';
import { type TenantId, type TenantName, tenantNames } from '../../src/tenancy/names.ts';
import type { Tenant } from '../../src/tenancy/tenant.ts';
import { Renames } from '../../src/translate/renames.ts';
import type { Scope } from '../../src/translate/scope.ts';

export interface ScopeOptions {
  /** Namespaces that the tenant has. */
  readonly namespaces?: readonly string[];
  readonly profile?: Profile;
  readonly username?: string;
  /** Names of the host's classes and volumes that are published to the tenant. */
  readonly published?: readonly string[];
  /** Ids of living tenants; left out, every id counts as one. */
  readonly tenants?: readonly string[];
}

function tenantOfId(id: string): Tenant {
  return {
    id: id as TenantId,
    uid: `${id}-uid`,
    createdAt: '2026-01-01T00:00:00Z',
    phase: 'Active',
    clientCaPem: '',
    policy: 'default',
  };
}

export function scopeOf(id: string, options: ScopeOptions = {}): Scope {
  const tenant = tenantOfId(id);
  const namespaces = new Set<TenantName>((options.namespaces ?? ['default', 'web']) as TenantName[]);
  const { tenants, username, published = [] } = options;
  return {
    names: tenantNames(tenant.id),
    tenant,
    kinds: registryOf(options.profile ?? 'baseline'),
    isOwnNamespace: (namespace) => namespaces.has(namespace),
    namesHost: (_of, name) => published.includes(name),
    renames: new Renames(),
    ...(username === undefined ? {} : { username }),
    ...(tenants === undefined ? {} : { isTenant: (other) => tenants.includes(other) }),
  };
}

/** A kind at the version that comes first, `apps/deployments`, or at a given one. */
export function kindAt(scope: Scope, key: string, version?: string): KindAtVersion {
  const slash = key.indexOf('/');
  const [group, resource] = [key.slice(0, slash), key.slice(slash + 1)];
  const found =
    version === undefined
      ? scope.kinds.preferredByResource(scope.tenant, group, resource)
      : scope.kinds.byResource(scope.tenant, group, version, resource);
  if (found === undefined) throw new Error(`no kind ${key} for ${scope.tenant.id}`);
  return found;
}

/** Every kind that the tenant has. */
export function kindsOf(scope: Scope): KindAtVersion[] {
  return [...(scope.kinds as ListingKindRegistry).list(scope.tenant)];
}

/** Of groups that are not in v1 alone. */
const SERVED_VERSIONS = new Map([
  ['autoscaling', ['v2', 'v1']],
  ['metrics.k8s.io', ['v1beta1']],
  ['custom.metrics.k8s.io', ['v1beta2', 'v1beta1']],
]);
const HOST = hostVersions();
const registries = new Map<Profile, ListingKindRegistry>();

function registryOf(profile: Profile): ListingKindRegistry {
  let registry = registries.get(profile);
  if (registry === undefined) {
    registry = createKindRegistry({
      customKinds: { synced: true, subscribe: sendCrds },
      versions: () => HOST,
      sharedGroups: new Set(['gateway.networking.k8s.io']),
      profileOf: () => profile,
    });
    registries.set(profile, registry);
  }
  return registry;
}

function hostVersions(): HostVersions {
  const groups = new Map<string, Map<string, Set<string>>>();
  for (const { group, resource } of KINDS) {
    const versions = groups.get(group) ?? new Map<string, Set<string>>();
    groups.set(group, versions);
    for (const version of SERVED_VERSIONS.get(group) ?? ['v1']) {
      versions.set(version, (versions.get(version) ?? new Set()).add(resource));
    }
  }
  return groups;
}

function sendCrds(listener: (event: InformerEvent) => void): () => void {
  for (const owner of ['acme', 'globex']) {
    listener({ type: 'added', object: crd(owner, 'widgets', 'Widget', 'Namespaced') });
    listener({ type: 'added', object: crd(owner, 'gadgets', 'Gadget', 'Cluster') });
  }
  return () => {};
}

function crd(owner: string, plural: string, kind: string, scope: string): JsonObject {
  const group = `${owner}--stable.example.com`;
  return {
    metadata: { name: `${plural}.${group}`, labels: { 'kubeveil.dev/tenant': owner } },
    spec: {
      group,
      scope,
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: {} },
          additionalPrinterColumns: [
            { name: 'Where', type: 'string', jsonPath: '.metadata.namespace' },
            { name: 'What', type: 'string', jsonPath: '.metadata' },
          ],
        },
      ],
    },
    status: { acceptedNames: { plural, kind }, conditions: [{ type: 'Established', status: 'True' }] },
  };
}
