/**
 * Where the kinds that tenants may store are found on the host: its discovery says in which version each is served.
 * A kind of the table that the host does not serve is left out: nothing of it can be stored.
 */
import { guardRules, type HostRule, tenantClusterRules, trustedClusterRules } from '../../kinds/guard-rules.ts';
import { type HostVersions, readHostVersions } from '../../kinds/host-versions.ts';
import type { Upstream } from '../../ports.ts';
import { readHostDiscovery } from '../../upstream/host-discovery.ts';

/** A resource with the root of its URLs. */
export interface HostKind {
  /** `/apis/apps/v1` */
  readonly root: string;
  readonly resource: string;
}

export interface TenantKinds {
  readonly namespaced: HostKind[];
  readonly clusterScoped: HostKind[];
}

const TTL_MS = 30_000;

/**
 * What the host serves, asked for twice a minute at most.
 * @returns rejects with HostError when discovery is refused; the next call asks again
 */
export function createTenantKinds(upstream: Upstream, nowMs: () => number): () => Promise<TenantKinds> {
  let known: { kinds: Promise<TenantKinds>; atMs: number } | undefined;
  return function kindsNow() {
    if (known === undefined || nowMs() - known.atMs > TTL_MS) {
      const kinds = readTenantKinds(upstream);
      known = { kinds, atMs: nowMs() };
      kinds.catch(() => {
        known = undefined;
      });
    }
    return known.kinds;
  };
}

/** `/apis/apps/v1/namespaces/acme--web/deployments` */
export function collectionIn(namespace: string, { root, resource }: HostKind): string {
  return `${root}/namespaces/${namespace}/${resource}`;
}

async function readTenantKinds(upstream: Upstream): Promise<TenantKinds> {
  const versions = readHostVersions(...(await readHostDiscovery(upstream)));
  return {
    namespaced: served(guardRules(), versions),
    clusterScoped: served([...tenantClusterRules(), ...trustedClusterRules()], versions),
  };
}

/** The resources of these rules that can be deleted, in the first version in which the host serves them. */
export function served(rules: readonly HostRule[], versions: HostVersions): HostKind[] {
  const kinds: HostKind[] = [];
  for (const rule of rules) {
    if (!('apiGroups' in rule) || !rule.verbs.includes('delete')) continue;
    for (const group of rule.apiGroups) {
      for (const resource of rule.resources) {
        const version = [...(versions.get(group) ?? [])].find(([, resources]) => resources.has(resource))?.[0];
        if (version === undefined) continue;
        kinds.push({ root: group === '' ? `/api/${version}` : `/apis/${group}/${version}`, resource });
      }
    }
  }
  return kinds;
}
