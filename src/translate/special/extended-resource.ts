/**
 * `spec.extendedResourceName` of a DeviceClass: the host's scheduler serves every pod that asks for a resource of this
 * name by it, whoever the pod is of. So a tenant's own class has none.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#extended-resource
 */
import { forbiddenField } from '../../k8s/field-problems.ts';
import type { JsonValue } from '../../k8s/types.ts';
import type { Walk } from '../walk.ts';

/** @throws {ApiError} ERR_INVALID */
export function extendedResourceUp(value: JsonValue, walk: Walk): JsonValue {
  if (typeof value !== 'string' || value === '') return value;
  return walk.refuse((field) =>
    forbiddenField(field, 'it would serve the pods of everybody; name the class in claims'),
  );
}

export function extendedResourceDown(value: JsonValue): JsonValue {
  return value;
}
