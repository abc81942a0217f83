/**
 * The collections of the host that controllers and registries follow: one watch each, however many tenants there are.
 */

import type { Informer } from '../../k8s/informer.ts';
import { GUARD } from '../../tenancy/host-names.ts';
import { TENANT_LABEL } from '../../tenancy/names.ts';
import { PATHS } from './host-objects.ts';

export interface HostInformers {
  readonly tenants: Informer;
  /** All of the host: one that only looks like a tenant's must be known, too. */
  readonly namespaces: Informer;
  /** RoleBindings that are guards. */
  readonly guards: Informer;
  /** ClusterRoles that the provisioner keeps. */
  readonly clusterRoles: Informer;
  readonly clusterBindings: Informer;
  /** All of the host: guards of tenants' pods depend on what the tenants' own say. */
  readonly networkPolicies: Informer;
  /** ResourceQuotas and LimitRanges that are guards. */
  readonly quotas: Informer;
  readonly limitRanges: Informer;
  /** CustomResourceDefinitions of tenants. */
  readonly definitions: Informer;
}

/** @param make creates an informer as the provisioner; the query holds its selectors */
export function createHostInformers(
  make: (path: string, query: ReadonlyArray<readonly [string, string]>) => Informer,
): HostInformers {
  const labelled = (label: string) => [['labelSelector', label]] as const;
  return {
    tenants: make(PATHS.tenants, []),
    namespaces: make(PATHS.namespaces, []),
    guards: make(PATHS.allBindings, labelled(GUARD)),
    clusterRoles: make(PATHS.clusterRoles, labelled(GUARD)),
    clusterBindings: make(PATHS.clusterBindings, labelled(GUARD)),
    networkPolicies: make(PATHS.allNetworkPolicies, []),
    quotas: make(PATHS.allQuotas, labelled(GUARD)),
    limitRanges: make(PATHS.allLimitRanges, labelled(GUARD)),
    definitions: make(PATHS.definitions, labelled(TENANT_LABEL)),
  };
}

export async function whenAllSynced(informers: HostInformers): Promise<void> {
  await Promise.all(Object.values(informers).map((informer: Informer) => informer.whenSynced()));
}
