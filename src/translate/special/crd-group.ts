/**
 * `spec.group` of a CRD: mapped as any group, but never one that the host has itself. Such a group stays as it is
 * everywhere else, so that its CRD would be the host's.
 */
import type { JsonValue } from '../../k8s/types.ts';
import { groupTargetDown, groupTargetUp } from '../targets/group.ts';
import type { Walk } from '../walk.ts';

/** @throws {ApiError} ERR_INVALID for a group of the host */
export function crdGroupUp(value: JsonValue, walk: Walk): JsonValue {
  if (typeof value === 'string' && value !== '' && walk.scope.kinds.isHostGroup(value)) {
    walk.refuse({ reason: 'FieldValueInvalid', value, detail: 'this group is not yours to define kinds in' });
  }
  return groupTargetUp(value, walk.scope);
}

export function crdGroupDown(value: JsonValue, walk: Walk): JsonValue {
  return groupTargetDown(value, walk.scope);
}
