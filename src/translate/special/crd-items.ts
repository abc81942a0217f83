/**
 * The schema of a field `items` at the top of a custom kind: it may not fill in an array. With one the API server takes
 * every object of the kind for a list (`list-likes.ts`), those that their author wrote without such a field included.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
 */
import { forbiddenField } from '../../k8s/field-problems.ts';
import { isObject, type JsonValue } from '../../k8s/types.ts';
import { LIST_LIKE } from '../list-likes.ts';
import type { Walk } from '../walk.ts';

/** @throws {ApiError} ERR_INVALID for a default that is an array */
export function crdItemsUp(value: JsonValue, walk: Walk): JsonValue {
  if (isObject(value) && Array.isArray(value['default']))
    walk.refuse((field) => forbiddenField(field, LIST_LIKE), '.default');
  return value;
}

export function crdItemsDown(value: JsonValue): JsonValue {
  return value;
}
