/**
 * The egress check. What the reader account fetches is not confined by the host, so before an object of such an answer
 * is translated, these few lines decide by themselves, apart from the translator, whose it is. Every answer and every
 * event passes here: there is no other place that decides it.
 *
 * @invariant no object passes whose upstream namespace or label names another tenant (egress-check.test.ts).
 */
import { labelsOf, nameOf, namespaceOf } from '../k8s/meta.ts';
import { child, text } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue, splitApiVersion } from '../k8s/types.ts';
import { TENANT_LABEL, type TenantId, tenantOf, type UpstreamName } from '../tenancy/names.ts';
import { ROOT_CA } from '../tenancy/root-ca.ts';
import type { Call, VerbDeps } from './call.ts';
import type { Route } from './route.ts';

/** May the tenant see this object, in upstream terms, that came along this route? */
export function mayShow(call: Call, deps: VerbDeps, route: Route, object: JsonObject): boolean {
  const { kind, class: kindClass } = call.at;
  if (kindClass === 'published') return isHosts(call, deps, object);
  // The host's own CA, which its controller writes into every namespace.
  if (kind.naming?.is === 'rootCa' && nameOf(object) === ROOT_CA) return false;
  const isOwn = !route.needsOwnerCheck || isOwnedBy(call.tenant.id, object, kind.namespaced);
  return isOwn || (kindClass === 'mixed' && isHosts(call, deps, object));
}

/**
 * May the tenant know what an adapter tells of this object, which it names by an upstream ObjectReference? If it is the one
 * that was asked about, or one of those: `of` is the request as it would be for the objects themselves.
 * @param asked upstream; the name may be `*`
 */
export function mayTell(
  of: Pick<Call, 'at' | 'tenant'>,
  told: JsonObject,
  asked: { readonly namespace: string; readonly name: string },
): boolean {
  const { kind, upstreamApiVersion } = of.at;
  const [name, apiVersion] = [text(told, 'name'), text(told, 'apiVersion')];
  // Adapters write odd versions, and some none.
  const isOfGroup = apiVersion === '' || splitApiVersion(apiVersion)[0] === splitApiVersion(upstreamApiVersion)[0];
  if (text(told, 'kind') !== kind.kind || !isOfGroup) return false;
  if (text(told, 'namespace') !== asked.namespace || tenantOf(asked.namespace as UpstreamName) !== of.tenant.id)
    return false;
  if (kind.naming?.is === 'rootCa' && name === ROOT_CA) return false;
  return name !== '' && (asked.name === '*' || name === asked.name);
}

/** True for an object of the host, and no tenant's, that is published to this one. */
function isHosts(call: Call, deps: VerbDeps, object: JsonObject): boolean {
  if (labelsOf(object)[TENANT_LABEL] !== undefined) return false;
  const { owned } = call.at.kind;
  if (owned !== undefined && tenantOf(ownerIn(object, owned.by) as UpstreamName) !== call.tenant.id) return false;
  return deps.isPublished(call, nameOf(object));
}

/** Takes out of a list or Table, in place, what the tenant may not see. A row without its object is nobody's. */
export function dropForeign(call: Call, deps: VerbDeps, route: Route, document: JsonObject): void {
  const isShown = (object: JsonValue | undefined) => isObject(object) && mayShow(call, deps, route, object);
  const { items, rows } = document;
  if (Array.isArray(items)) document['items'] = items.filter(isShown);
  if (Array.isArray(rows)) document['rows'] = rows.filter((row) => isObject(row) && isShown(row['object']));
}

/** True when this object, in upstream terms, is the tenant's: by its namespace, or by label and name together. */
export function isOwnedBy(tenant: TenantId, object: JsonObject, namespaced: boolean): boolean {
  if (namespaced) return tenantOf(namespaceOf(object) as UpstreamName) === tenant;
  return labelsOf(object)[TENANT_LABEL] === tenant && namesTenant(nameOf(object), tenant);
}

/** The namespace that a published object says it belongs to, upstream. */
function ownerIn(object: JsonObject, path: string): string {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  return text(steps.reduce(child, object), last);
}

/** `acme--reader`, or a CRD, whose name holds the tenant in its group: `foos.acme--stable.example.com`. */
function namesTenant(name: string, tenant: TenantId): boolean {
  if (tenantOf(name as UpstreamName) === tenant) return true;
  return tenantOf(name.slice(name.indexOf('.') + 1) as UpstreamName) === tenant;
}
