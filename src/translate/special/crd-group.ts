/**
 * `spec.group` of a CRD: mapped as any group, but never one that the host has itself. Such a group stays as it is
 * everywhere else, so that its CRD would be the host's. Checked here, since a prefix would make `-a.com` legal upstream.
 */
import { invalidValue } from '../../k8s/field-problems.ts';
import { DNS_SUBDOMAIN } from '../../k8s/name-rules.ts';
import type { JsonValue } from '../../k8s/types.ts';
import { groupTargetDown, groupTargetUp } from '../targets/group.ts';
import type { Walk } from '../walk.ts';

/** @throws {ApiError} ERR_INVALID for a group of the host, and for what is no group */
export function crdGroupUp(value: JsonValue, walk: Walk): JsonValue {
  if (typeof value === 'string' && value !== '') {
    const detail = walk.scope.kinds.isHostGroup(value)
      ? 'this group is not yours to define kinds in'
      : DNS_SUBDOMAIN.problem(value);
    if (detail !== undefined) walk.refuse((field) => invalidValue(field, value, detail));
  }
  return groupTargetUp(value, walk.scope);
}

export function crdGroupDown(value: JsonValue, walk: Walk): JsonValue {
  return groupTargetDown(value, walk.scope);
}
