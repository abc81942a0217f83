/**
 * What controllers keep on the host for a tenant: how these objects are called and what stands in them. Names and
 * labels here are the ones that the walls in `deploy/` allow the provisioner to write.
 */
import { labelsOf, metadataOf, nameOf } from '../../k8s/meta.ts';
import { isObject, type JsonObject } from '../../k8s/types.ts';
import {
  TENANT_LABEL,
  type TenantId,
  type TenantName,
  tenantOf,
  toUpstreamName,
  type UpstreamName,
} from '../../tenancy/names.ts';
import { TENANT_UID_ANNOTATION } from '../../tenancy/tenant.ts';

export const SYSTEM_NAMESPACE = 'kubeveil-system';
/** On a Tenant: nothing of it is left on the host when this goes. */
export const TENANT_FINALIZER = 'kubeveil.dev/tenant';
/** Label and finalizer of what gives a tenant its rights. */
export const GUARD = 'kubeveil.dev/guard';
export const IMPERSONATION_ROLE = 'kubeveil:impersonation';
export const READER_CUSTOM_ROLE = 'kubeveil:reader-custom';
export const GUARD_NAME = 'kubeveil:guard';
export const CUSTOM_NAME = 'kubeveil:custom';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC_VERSION = `${RBAC_GROUP}/v1`;
const RBAC = `/apis/${RBAC_VERSION}`;

export const PATHS = {
  tenants: '/apis/kubeveil.dev/v1alpha1/tenants',
  namespaces: '/api/v1/namespaces',
  clusterRoles: `${RBAC}/clusterroles`,
  clusterBindings: `${RBAC}/clusterrolebindings`,
  allBindings: `${RBAC}/rolebindings`,
  bindings: (namespace: string) => `${RBAC}/namespaces/${namespace}/rolebindings`,
  accounts: (namespace: string) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  secrets: `/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets`,
  definitions: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  accessReviews: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
} as const;

/** The group that holds a tenant's rights on the host. */
export function tenantGroup(tenant: TenantId): string {
  return `kubeveil:tenant:${tenant}`;
}

/** The ClusterRole with the rights on a tenant's own API groups. */
export function customRoleName(tenant: TenantId): string {
  return `${CUSTOM_NAME}:${tenant}`;
}

export function isTerminating(object: JsonObject): boolean {
  return typeof metadataOf(object)['deletionTimestamp'] === 'string';
}

export function finalizersOf(object: JsonObject): string[] {
  const finalizers = metadataOf(object)['finalizers'];
  return Array.isArray(finalizers) ? finalizers.filter((item) => typeof item === 'string') : [];
}

export function annotationOf(object: JsonObject, key: string): string | undefined {
  const annotations = metadataOf(object)['annotations'];
  const value = isObject(annotations) && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The tenant that both the name and the label of a namespace or cluster-scoped object say; else undefined. */
export function labelledOwner(object: JsonObject): TenantId | undefined {
  const owner = tenantOf(nameOf(object) as UpstreamName);
  return owner !== undefined && labelsOf(object)[TENANT_LABEL] === owner ? owner : undefined;
}

/** A Namespace as the wall wants it. */
export function namespaceObject(tenant: { id: TenantId; uid: string }, name: TenantName): JsonObject {
  return withOwner(tenant, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: toUpstreamName(tenant.id, name) },
  });
}

/** Adds what says whose a namespace is. */
export function withOwner(tenant: { id: TenantId; uid: string }, namespace: JsonObject): JsonObject {
  const metadata = metadataOf(namespace);
  const labels = isObject(metadata['labels']) ? metadata['labels'] : {};
  const annotations = isObject(metadata['annotations']) ? metadata['annotations'] : {};
  return {
    ...namespace,
    metadata: {
      ...metadata,
      labels: { ...labels, [TENANT_LABEL]: tenant.id },
      annotations: { ...annotations, [TENANT_UID_ANNOTATION]: tenant.uid },
    },
  };
}

/** A guard: gives the tenant's group the rights of a ClusterRole in one namespace. */
export function guardBinding(
  tenant: TenantId,
  namespace: string,
  name: typeof GUARD_NAME | typeof CUSTOM_NAME,
): JsonObject {
  return {
    apiVersion: RBAC_VERSION,
    kind: 'RoleBinding',
    metadata: { name, namespace, labels: { [GUARD]: tenant }, finalizers: [GUARD] },
    ...grant(tenant, name === GUARD_NAME ? GUARD_NAME : customRoleName(tenant)),
  };
}

export function customClusterBinding(tenant: TenantId): JsonObject {
  const name = customRoleName(tenant);
  return {
    apiVersion: RBAC_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: { [GUARD]: tenant } },
    ...grant(tenant, name),
  };
}

export function customClusterRole(tenant: TenantId, rules: JsonObject[]): JsonObject {
  return {
    apiVersion: RBAC_VERSION,
    kind: 'ClusterRole',
    metadata: { name: customRoleName(tenant), labels: { [GUARD]: tenant } },
    rules,
  };
}

function grant(tenant: TenantId, role: string): JsonObject {
  return {
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'Group', apiGroup: RBAC_GROUP, name: tenantGroup(tenant) }],
  };
}

/** True for a namespace that was made for exactly this tenant: its label and the uid it was made for say so. */
export function isOfTenant(namespace: JsonObject, tenant: { readonly id: TenantId; readonly uid: string }): boolean {
  return labelledOwner(namespace) === tenant.id && annotationOf(namespace, TENANT_UID_ANNOTATION) === tenant.uid;
}
