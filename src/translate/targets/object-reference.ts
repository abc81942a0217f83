/**
 * Objects that name any object: `{kind, apiVersion | apiGroup, namespace?, name}`. The name is mapped when its kind is
 * cluster-scoped and the tenant's own; the namespace always; the group by the group's rule.
 *
 * A kind that the tenant does not have leaves the name as it is: nothing resolves such a reference by name alone.
 */
import { apiVersionOf, isObject, type JsonObject, type JsonValue, splitApiVersion } from '../../k8s/types.ts';
import { type KindAtVersion, VIRTUAL_GROUP } from '../../kinds/kind.ts';
import type { TenantName, UpstreamName } from '../../tenancy/names.ts';
import { nameToTenant, nameToUpstream } from '../names-check.ts';
import { NotOurs } from '../not-ours.ts';
import type { Scope } from '../scope.ts';
import type { Walk } from '../walk.ts';
import { apiVersionTargetDown, apiVersionTargetUp, groupTargetDown, groupTargetUp } from './group.ts';
import { namespaceToTenant, namespaceToUpstream } from './namespace.ts';

export function objectReferenceUp(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  const { scope } = walk;
  const name = value['name'];
  if (typeof name === 'string' && name !== '') {
    // Without its kind a name can only be told apart by the object that the patch will meet.
    if (walk.shape !== 'whole' && !Object.hasOwn(value, 'kind')) walk.needsLive('a name without its kind');
    const at = kindOfReference(value, scope);
    if (at !== undefined) value['name'] = nameToUpstream(name as TenantName, at, scope);
  }
  set(value, 'namespace', (namespace) => namespaceToUpstream(namespace, scope));
  set(value, 'apiVersion', (apiVersion) => apiVersionTargetUp(apiVersion, scope));
  set(value, 'apiGroup', (group) => groupTargetUp(group, scope));
  return value;
}

/** @throws {NotOurs} when it names something of somebody else */
export function objectReferenceDown(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  const { scope } = walk;
  showVirtual(value, scope);
  set(value, 'namespace', (namespace) => noted(walk, namespace, namespaceToTenant(namespace, scope)));
  set(value, 'apiVersion', (apiVersion) => apiVersionTargetDown(apiVersion, scope));
  set(value, 'apiGroup', (group) => groupTargetDown(group, scope));
  const name = value['name'];
  const at = kindOfReference(value, scope);
  if (typeof name === 'string' && name !== '' && at !== undefined) {
    const mapped = nameToTenant(name as UpstreamName, at, scope);
    if (mapped === undefined) throw new NotOurs(`${at.kind.kind} ${JSON.stringify(name)} is not of ${scope.tenant.id}`);
    value['name'] = noted(walk, name, mapped);
  }
  return value;
}

/** The kind that a reference in tenant terms names; undefined when the tenant has none such. */
export function kindOfReference(value: JsonObject, scope: Scope): KindAtVersion | undefined {
  const { kind, apiVersion, apiGroup } = value;
  if (typeof kind !== 'string') return undefined;
  if (typeof apiVersion === 'string') {
    const [group, version] = splitApiVersion(apiVersion);
    return (
      scope.kinds.byKind(scope.tenant, group, version, kind) ?? scope.kinds.preferredByKind(scope.tenant, group, kind)
    );
  }
  return scope.kinds.preferredByKind(scope.tenant, typeof apiGroup === 'string' ? apiGroup : '', kind);
}

/** What host controllers write about a virtual kind names its upstream group. */
function showVirtual(value: JsonObject, scope: Scope): void {
  const { kind, apiVersion } = value;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return;
  const [group] = splitApiVersion(apiVersion);
  if (group !== VIRTUAL_GROUP) return;
  const at = scope.kinds.virtualByKind(scope.tenant, kind);
  if (at === undefined) throw new NotOurs(`virtual kind ${kind} is not offered to ${scope.tenant.id}`);
  value['apiVersion'] = apiVersionOf(at.kind.group, at.version);
}

function set(object: JsonObject, field: string, map: (value: JsonValue) => JsonValue): void {
  if (Object.hasOwn(object, field)) object[field] = map(object[field] ?? null);
}

function noted(walk: Walk, upstream: JsonValue, tenant: JsonValue): JsonValue {
  if (typeof upstream === 'string' && typeof tenant === 'string' && upstream !== tenant)
    walk.seen.set(upstream, tenant);
  return tenant;
}
