/**
 * What every cluster has from its start, as a tenant sees it: the system namespaces, the default roles and their
 * bindings, and the ServiceCIDR `kubernetes`. Made up here, stored only once changed.
 *
 * A stored object of the same name takes the place of a standing one, for reading and for deciding. Deleting it brings
 * the standing one back, as restarting kube-apiserver would. An object that is made up keeps its uid for as long as its
 * tenant lives, is as old as the tenant, and has resourceVersion `1`, which no stored object has.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 */
import { createHash } from 'node:crypto';
import { cloneJson } from '../codec/json.ts';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { StandingObjects } from '../ports.ts';
import { SYSTEM_NAMESPACES, type Tenant } from '../tenancy/tenant.ts';
import data from './default-roles.generated.json' with { type: 'json' };
import { NETWORKING_GROUP } from './networking.ts';
import { RBAC_GROUP } from './rbac-validation.ts';

/** The one that kube-apiserver makes of its flag `--service-cluster-ip-range`. */
export const DEFAULT_SERVICE_CIDR = 'kubernetes';

/** Never a stored object's version. A write with it as a precondition means "as long as nobody has changed it". */
const STANDING_VERSION = '1';

const NAMESPACES: readonly JsonObject[] = SYSTEM_NAMESPACES.map((name) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
}));

/** By `group/resource`, sorted by name. */
const STANDING: ReadonlyMap<string, readonly JsonObject[]> = new Map([
  ['/namespaces', NAMESPACES],
  ...Object.entries(data).map(([resource, roles]) => [`${RBAC_GROUP}/${resource}`, roles as JsonObject[]] as const),
]);

/** The default roles without what differs by tenant, for the authorizer. Must not be changed. */
export function defaultRoles(): Record<'clusterroles' | 'clusterrolebindings', readonly JsonObject[]> {
  return {
    clusterroles: standing(RBAC_GROUP, 'clusterroles'),
    clusterrolebindings: standing(RBAC_GROUP, 'clusterrolebindings'),
  };
}

/** @param serviceRanges the host's ranges of service addresses, from which tenants' services have theirs; none: not known */
export function createStandingObjects(serviceRanges: () => readonly string[]): StandingObjects {
  return (tenant, group, resource) => {
    const isRange = group === NETWORKING_GROUP && resource === 'servicecidrs';
    const objects = isRange ? defaultServiceCidr(tenant, serviceRanges()) : standing(group, resource);
    return objects.map((object) => forTenant(tenant, resource, object));
  };
}

/** As kube-apiserver makes it, without the finalizer of the controller that counts addresses: here nothing does. */
function defaultServiceCidr(tenant: Tenant, cidrs: readonly string[]): JsonObject[] {
  if (cidrs.length === 0) return [];
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: tenant.createdAt,
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  };
  return [
    {
      apiVersion: `${NETWORKING_GROUP}/v1`,
      kind: 'ServiceCIDR',
      metadata: { name: DEFAULT_SERVICE_CIDR },
      spec: { cidrs: [...cidrs] },
      status: { conditions: [ready] },
    },
  ];
}

function standing(group: string, resource: string): readonly JsonObject[] {
  return STANDING.get(`${group}/${resource}`) ?? [];
}

function forTenant(tenant: Tenant, resource: string, object: JsonObject): JsonObject {
  const copy = cloneJson(object);
  const { name, ...rest } = metadataOf(copy);
  const metadata = {
    name: name ?? '',
    uid: uidFor(tenant, `${resource}/${nameOf(object)}`),
    resourceVersion: STANDING_VERSION,
    creationTimestamp: tenant.createdAt,
    ...rest,
  };
  return { ...copy, metadata };
}

/** A UUID of version 8 (RFC 9562) out of the tenant's uid and the object's path. */
function uidFor(tenant: Tenant, path: string): string {
  const bytes = createHash('sha256').update(`${tenant.uid}/${path}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
