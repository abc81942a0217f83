/**
 * The StorageClass of a claim, and of a volume. The host's binder gives a claim any free volume of the class that it names,
 * so a tenant's own volume is always of a class below the tenant's prefix: the empty class (NO_CLASS) and names of the
 * host's classes too. A claim names a class as usual; where the tenant holds volumes, its empty class is the same as theirs.
 *
 * @see k8s.io/component-helpers storage/volume/pv_helpers.go (FindMatchingVolume) at v0.36
 */
import type { JsonValue } from '../../k8s/types.ts';
import { STORAGE_CLASSES, VOLUMES } from '../../kinds/refs.ts';
import type { TenantName } from '../../tenancy/names.ts';
import { nameTargetDown, nameUp, referencedKind } from '../targets/name.ts';
import { NO_CLASS } from '../targets/no-class.ts';
import type { Walk } from '../walk.ts';

export function claimClassUp(value: JsonValue, walk: Walk): JsonValue {
  const holdsVolumes = referencedKind(VOLUMES, walk.scope)?.class === 'mixed';
  return value === '' && holdsVolumes ? ownClass('', walk) : nameUp(value, STORAGE_CLASSES, walk);
}

/** @param value an empty list where the volume says nothing */
export function volumeClassUp(value: JsonValue, walk: Walk): JsonValue {
  if (Array.isArray(value) && value.length === 0) return ownClass('', walk);
  return typeof value === 'string' ? ownClass(value, walk) : value;
}

export function storageClassDown(value: JsonValue, walk: Walk): JsonValue {
  return nameTargetDown(value, STORAGE_CLASSES, walk.scope);
}

function ownClass(name: string, { scope }: Walk): string {
  const upstream = scope.names.up((name === '' ? NO_CLASS : name) as TenantName);
  scope.renames.note(upstream, name);
  return upstream;
}
