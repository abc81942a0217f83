/**
 * What controllers keep on the host for a tenant: where these objects live and what stands in them, as the walls in
 * `deploy/` allow the provisioner to write it; and whose an object of the host is.
 */
import { annotationOf, labelsOf, metadataOf, nameOf, withEntries } from '../../k8s/meta.ts';
import type { JsonObject } from '../../k8s/types.ts';
import {
  type CUSTOM_NAME,
  customRoleName,
  GUARD,
  GUARD_NAME,
  PROXY_NAMESPACE_PATH,
  TENANTS_PATH,
  tenantGroup,
} from '../../tenancy/host-names.ts';
import {
  TENANT_LABEL,
  type TenantId,
  type TenantName,
  tenantOf,
  toUpstreamName,
  type UpstreamName,
} from '../../tenancy/names.ts';
import { TENANT_UID_ANNOTATION } from '../../tenancy/tenant.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC_VERSION = `${RBAC_GROUP}/v1`;
const RBAC = `/apis/${RBAC_VERSION}`;
const NETWORKING = '/apis/networking.k8s.io/v1';

export const PATHS = {
  tenants: TENANTS_PATH,
  namespaces: '/api/v1/namespaces',
  clusterRoles: `${RBAC}/clusterroles`,
  clusterBindings: `${RBAC}/clusterrolebindings`,
  allBindings: `${RBAC}/rolebindings`,
  bindings: (namespace: string) => `${RBAC}/namespaces/${namespace}/rolebindings`,
  allNetworkPolicies: `${NETWORKING}/networkpolicies`,
  networkPolicies: (namespace: string) => `${NETWORKING}/namespaces/${namespace}/networkpolicies`,
  allQuotas: '/api/v1/resourcequotas',
  quotas: (namespace: string) => `/api/v1/namespaces/${namespace}/resourcequotas`,
  allLimitRanges: '/api/v1/limitranges',
  limitRanges: (namespace: string) => `/api/v1/namespaces/${namespace}/limitranges`,
  accounts: (namespace: string) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  secrets: `${PROXY_NAMESPACE_PATH}/secrets`,
  validatingPolicies: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  mutatingPolicies: '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
  definitions: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  accessReviews: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
} as const;

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

/** Adds what says whose a namespace is. What is no map is the API server's to refuse, with all that is in it. */
export function withOwner(tenant: { id: TenantId; uid: string }, namespace: JsonObject): JsonObject {
  const metadata = metadataOf(namespace);
  return {
    ...namespace,
    metadata: {
      ...metadata,
      labels: withEntries(metadata['labels'], (given) => ({ ...given, [TENANT_LABEL]: tenant.id })),
      annotations: withEntries(metadata['annotations'], (given) => ({ ...given, [TENANT_UID_ANNOTATION]: tenant.uid })),
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
