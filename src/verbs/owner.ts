/**
 * The egress check. What the reader account fetches is not confined by the host, so before an object of such an answer
 * is translated, these few lines decide by themselves, apart from the translator, whose it is.
 *
 * @invariant no object passes whose upstream namespace or label names another tenant (owner.test.ts).
 */
import { labelsOf, nameOf, namespaceOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { TENANT_LABEL, type TenantId, tenantOf, type UpstreamName } from '../tenancy/names.ts';

/** True when this object, in upstream terms, is the tenant's: by its namespace, or by label and name together. */
export function isOwnedBy(tenant: TenantId, object: JsonObject, namespaced: boolean): boolean {
  if (namespaced) return tenantOf(namespaceOf(object) as UpstreamName) === tenant;
  return labelsOf(object)[TENANT_LABEL] === tenant && namesTenant(nameOf(object), tenant);
}

/** `acme--reader`, or a CRD, whose name holds the tenant in its group: `foos.acme--stable.example.com`. */
function namesTenant(name: string, tenant: TenantId): boolean {
  if (tenantOf(name as UpstreamName) === tenant) return true;
  return tenantOf(name.slice(name.indexOf('.') + 1) as UpstreamName) === tenant;
}
