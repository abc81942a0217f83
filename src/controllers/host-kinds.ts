/**
 * Where the kinds that tenants may store are found on the host: its discovery says in which version each is served.
 * A kind of the table that the host does not serve is left out: nothing of it can be stored.
 */
import { readObject } from '../codec/json.ts';
import type { JsonObject } from '../k8s/types.ts';
import { guardRules, type HostRule, tenantClusterRules } from '../kinds/guard-rules.ts';
import { type HostVersions, readHostVersions } from '../kinds/host-versions.ts';
import type { Upstream } from '../ports.ts';
import { HostError } from '../upstream/host-client.ts';

/** A resource with the root of its URLs. */
export interface HostKind {
  /** `/apis/apps/v1` */
  readonly root: string;
  readonly resource: string;
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export interface TenantKinds {
  readonly namespaced: HostKind[];
  readonly clusterScoped: HostKind[];
}

/** @throws {HostError} when discovery is refused */
export async function readTenantKinds(upstream: Upstream): Promise<TenantKinds> {
  const [core, groups] = await Promise.all([discover(upstream, '/api'), discover(upstream, '/apis')]);
  const versions = readHostVersions(core, groups);
  return { namespaced: served(guardRules(), versions), clusterScoped: served(tenantClusterRules(), versions) };
}

async function discover(upstream: Upstream, path: string): Promise<JsonObject> {
  const response = await upstream.request({ identity: { as: 'reader' }, method: 'GET', path, accept: AGGREGATED });
  const body = readObject(response.body);
  if (response.status !== 200) throw new HostError(`GET ${path}`, response.status, body);
  return body;
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
