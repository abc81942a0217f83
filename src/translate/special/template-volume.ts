/**
 * `spec.volumeName` in a template of claims. The host's controllers make the claims, under names of their own and not as
 * the tenant, so a volume that was named here would be taken whoever it was kept for. Nothing needs it: a template is for
 * many claims, and a volume for one.
 */
import { forbiddenField } from '../../k8s/field-problems.ts';
import type { JsonValue } from '../../k8s/types.ts';
import { VOLUMES } from '../../kinds/refs.ts';
import { CHOSEN_VOLUME } from '../chosen-volume.ts';
import { nameTargetDown } from '../targets/name.ts';
import type { Walk } from '../walk.ts';

/** @throws {ApiError} ERR_INVALID for the name of a volume */
export function templateVolumeUp(value: JsonValue, walk: Walk): JsonValue {
  if (typeof value === 'string' && value !== '') walk.refuse((field) => forbiddenField(field, CHOSEN_VOLUME));
  return value;
}

export function templateVolumeDown(value: JsonValue, walk: Walk): JsonValue {
  return nameTargetDown(value, VOLUMES, walk.scope);
}
