/**
 * API groups and apiVersions: `stable.example.com` <-> `acme--stable.example.com`. Groups of the host (built in or
 * shared) and `*` stay. Virtual kinds are not told apart here: only their own bodies and owners name VIRTUAL_GROUP.
 */
import { apiVersionOf, type JsonValue, splitApiVersion } from '../../k8s/types.ts';
import type { TenantName, UpstreamName } from '../../tenancy/names.ts';
import { NotOurs } from '../not-ours.ts';
import type { Scope } from '../scope.ts';

export function groupToUpstream(group: string, scope: Scope): string {
  if (isSame(group, scope)) return group;
  const upstream = scope.names.up(group as TenantName);
  scope.renames.note(upstream, group);
  return upstream;
}

/** Undefined for a group that is neither the host's nor this tenant's. */
export function groupToTenant(group: string, scope: Scope): string | undefined {
  return isSame(group, scope) ? group : scope.names.down(group as UpstreamName);
}

function isSame(group: string, scope: Scope): boolean {
  return group === '' || group === '*' || scope.kinds.isHostGroup(group);
}

export function groupTargetUp(value: JsonValue, scope: Scope): JsonValue {
  return typeof value === 'string' ? groupToUpstream(value, scope) : value;
}

/** @throws {NotOurs} for a group of somebody else */
export function groupTargetDown(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value !== 'string') return value;
  const group = groupToTenant(value, scope);
  if (group === undefined) throw new NotOurs(`API group ${JSON.stringify(value)} is not of ${scope.tenant.id}`);
  return group;
}

export function apiVersionTargetUp(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value !== 'string') return value;
  const [group, version] = splitApiVersion(value);
  return apiVersionOf(groupToUpstream(group, scope), version);
}

/** @throws {NotOurs} for a group of somebody else */
export function apiVersionTargetDown(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value !== 'string') return value;
  const [group, version] = splitApiVersion(value);
  return apiVersionOf(String(groupTargetDown(group, scope)), version);
}
