/**
 * Names of cluster-scoped objects of another kind. Native and virtual ones are mapped as that kind's own names are.
 *
 * Published names are the same on both sides, but never reach an object of a tenant: a text that has the form of an
 * owned name is put below this tenant's prefix, where it finds nothing, and comes back as it was. So is every name of a
 * chosen kind that the host does not publish to this tenant. A kind that the tenant does not have cannot be named in a write.
 */
import { notFoundValue } from '../../k8s/field-problems.ts';
import type { JsonValue } from '../../k8s/types.ts';
import type { KindAtVersion, ResourceKey } from '../../kinds/kind.ts';
import { STORAGE_CLASSES } from '../../kinds/refs.ts';
import type { TenantName, UpstreamName } from '../../tenancy/names.ts';
import { hostName, looksOwned, namesHost, nameToTenant, nameToUpstream, namingOf } from '../names-check.ts';
import { NotOurs } from '../not-ours.ts';
import type { Scope } from '../scope.ts';
import type { Walk } from '../walk.ts';
import { NO_CLASS } from './no-class.ts';

/** Undefined when the tenant does not have that kind. */
export function referencedKind(of: ResourceKey, scope: Scope): KindAtVersion | undefined {
  const slash = of.lastIndexOf('/');
  return scope.kinds.preferredByResource(scope.tenant, of.slice(0, slash), of.slice(slash + 1));
}

/** Undefined for the name of a kind that the tenant does not have. */
export function nameTargetUp(value: JsonValue, of: ResourceKey, scope: Scope): JsonValue | undefined {
  if (typeof value !== 'string' || value === '') return value;
  const at = referencedKind(of, scope);
  if (at === undefined) return undefined;
  if (namingOf(at) !== 'same') return nameToUpstream(value as TenantName, at, scope);
  const stays = at.kind.chosen === true ? namesHost(value, at, scope) : !looksOwned(value, scope);
  if (stays) return value;
  const upstream = scope.names.up(value as TenantName);
  scope.renames.note(upstream, value);
  return upstream;
}

/** The name upstream. @throws {ApiError} ERR_INVALID where the tenant does not have that kind */
export function nameUp(value: JsonValue, of: ResourceKey, walk: Walk): JsonValue {
  const mapped = nameTargetUp(value, of, walk.scope);
  if (mapped !== undefined) return mapped;
  if (isHostSet(of)) return value;
  return walk.refuse((field) => notFoundValue(field, String(value)));
}

/** @throws {NotOurs} for the name of an object of another tenant */
export function nameTargetDown(value: JsonValue, of: ResourceKey, scope: Scope): JsonValue {
  if (typeof value !== 'string' || value === '') return value;
  const at = referencedKind(of, scope);
  if (at !== undefined && namingOf(at) !== 'same') {
    const name = nameToTenant(value as UpstreamName, at, scope);
    if (name === undefined) throw new NotOurs(`${of} ${JSON.stringify(value)} is not of ${scope.tenant.id}`);
    return of === STORAGE_CLASSES && name === NO_CLASS ? '' : name;
  }
  const name = scope.names.down(value as UpstreamName) ?? hostName(value as UpstreamName, scope);
  if (name !== undefined) return name;
  throw new NotOurs(`${of} ${JSON.stringify(value)} is of some tenant and not shared with ${scope.tenant.id}`);
}

/** Kinds whose names the host itself writes into a tenant's objects: a PUT of what was read must pass. */
const HOST_SET: ReadonlySet<ResourceKey> = new Set(['/nodes', '/persistentvolumes'] as const);

/** True where a name must pass although the tenant does not have the kind. */
export function isHostSet(of: ResourceKey): boolean {
  return HOST_SET.has(of);
}
