/**
 * The whole table of built-in kinds, indexed. A kind without a row here does not exist for a tenant, unless one of its
 * own CRDs defines it.
 *
 * Rows cover kube-apiserver 1.36 with its default features; what is alpha or off by default has no row.
 *
 * @see docs/kinds.md for the same as a page
 */
import { ANY_RESOURCE, type Kind, type ResourceKey } from './kind.ts';
import { resourceKey } from './row.ts';
import { APIEXTENSIONS } from './table/apiextensions.ts';
import { APPS } from './table/apps.ts';
import { BATCH } from './table/batch.ts';
import { CERTIFICATES } from './table/certificates.ts';
import { CLUSTER_SERVICES } from './table/cluster-services.ts';
import { CONTROL } from './table/control.ts';
import { CORE_CLUSTER } from './table/core-cluster.ts';
import { CORE_CONFIG } from './table/core-config.ts';
import { CORE_NODES } from './table/core-nodes.ts';
import { CORE_VOLUMES } from './table/core-volumes.ts';
import { CORE_WORKLOADS } from './table/core-workloads.ts';
import { MEASURED } from './table/metrics.ts';
import { NETWORKING } from './table/networking.ts';
import { RBAC } from './table/rbac.ts';
import { REVIEWS } from './table/reviews.ts';
import { STORAGE } from './table/storage.ts';
import { USAGE } from './table/usage.ts';

/** Every row, in the order of the documentation. */
export const KINDS: readonly Kind[] = [
  ...CORE_CLUSTER,
  ...CORE_WORKLOADS,
  ...CORE_CONFIG,
  ...CORE_VOLUMES,
  ...CORE_NODES,
  ...APPS,
  ...BATCH,
  ...NETWORKING,
  ...STORAGE,
  ...CLUSTER_SERVICES,
  ...RBAC,
  ...APIEXTENSIONS,
  ...REVIEWS,
  ...CERTIFICATES,
  ...CONTROL,
  ...MEASURED,
  ...USAGE,
];

const byResource = index(KINDS, (kind) => resourceKey(kind.group, kind.resource));
const byName = index(KINDS, (kind) => resourceKey(kind.group, kind.kind));

/** The row of a resource: `kindOf('apps', 'deployments')`. */
export function kindOf(group: string, resource: string): Kind | undefined {
  return byResource.get(resourceKey(group, resource));
}

/** True for a group whose URLs name what an adapter measures, and not its own resources. */
export function isByMetric(group: string): boolean {
  return kindOf(group, ANY_RESOURCE) !== undefined;
}

/** The row of a kind by the name that bodies use: `kindByName('apps', 'Deployment')`. */
export function kindByName(group: string, kind: string): Kind | undefined {
  return byName.get(resourceKey(group, kind));
}

/** @throws {Error} when two rows have one key: the table would then depend on their order. */
function index(kinds: readonly Kind[], keyOf: (kind: Kind) => ResourceKey): ReadonlyMap<ResourceKey, Kind> {
  const map = new Map<ResourceKey, Kind>();
  for (const kind of kinds) {
    const key = keyOf(kind);
    if (map.has(key)) throw new Error(`two rows for ${key} in the table of kinds: remove one`);
    map.set(key, kind);
  }
  return map;
}
