/**
 * `metadata.ownerReferences`. The host's garbage collector resolves them, so group, version and name must be upstream's
 * exactly: also the group that virtual kinds are stored in.
 *
 * On the way down an owner that is not the tenant's (set by a controller of the host) is left out of the view rather
 * than the whole object.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
import { apiVersionOf, isObject, type JsonObject, type JsonValue, splitApiVersion } from '../k8s/types.ts';
import { type KindAtVersion, VIRTUAL_GROUP } from '../kinds/kind.ts';
import type { TenantName, UpstreamName } from '../tenancy/names.ts';
import { nameToTenant, nameToUpstream } from './names-check.ts';
import type { Scope } from './scope.ts';
import { groupToTenant, groupToUpstream } from './targets/group.ts';
import { kindOfReference } from './targets/object-reference.ts';

export function ownersToUpstream(value: JsonValue, scope: Scope): JsonValue {
  if (!Array.isArray(value)) return value;
  for (const owner of value) if (isObject(owner)) ownerToUpstream(owner, scope);
  return value;
}

function ownerToUpstream(owner: JsonObject, scope: Scope): void {
  const { apiVersion, name } = owner;
  if (typeof apiVersion !== 'string') return;
  const at = kindOfReference(owner, scope);
  const [group, version] = splitApiVersion(apiVersion);
  owner['apiVersion'] =
    at?.class === 'virtual' ? at.upstreamApiVersion : apiVersionOf(groupToUpstream(group, scope), version);
  if (at !== undefined && typeof name === 'string') owner['name'] = nameToUpstream(name as TenantName, at, scope);
}

/** Takes owners of others out; without any left the whole field goes. */
export function ownersToTenant(value: JsonValue, scope: Scope): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  const shown = value.filter((owner) => !isObject(owner) || ownerToTenant(owner, scope));
  return shown.length === 0 && value.length > 0 ? undefined : shown;
}

/** Maps one owner in place; false when it is not the tenant's, and then nothing is changed. */
function ownerToTenant(owner: JsonObject, scope: Scope): boolean {
  const { apiVersion, kind, name } = owner;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return false;
  const tenantVersion = apiVersionToTenant(apiVersion, kind, scope);
  if (tenantVersion === undefined) return false;
  const at: KindAtVersion | undefined = kindOfReference({ kind, apiVersion: tenantVersion }, scope);
  if (at !== undefined && typeof name === 'string') {
    const mapped = nameToTenant(name as UpstreamName, at, scope);
    if (mapped === undefined) return false;
    owner['name'] = mapped;
  }
  owner['apiVersion'] = tenantVersion;
  return true;
}

function apiVersionToTenant(apiVersion: string, kind: string, scope: Scope): string | undefined {
  const [group, version] = splitApiVersion(apiVersion);
  if (group === VIRTUAL_GROUP) {
    const at = scope.kinds.virtualByKind(scope.tenant, kind);
    return at && apiVersionOf(at.kind.group, at.version);
  }
  const mapped = groupToTenant(group, scope);
  return mapped === undefined ? undefined : apiVersionOf(mapped, version);
}
