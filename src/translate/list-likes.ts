/**
 * Objects of custom kinds that would pass for a list. The API server tells the two by `items` alone: it stores an object
 * with such an array, and from then on fails on whatever meets it, the deletion of its namespace included.
 *
 * @see k8s.io/apimachinery pkg/apis/meta/v1/unstructured/unstructured.go (IsList) at v0.36
 */
import { forbiddenField } from '../k8s/field-problems.ts';
import type { JsonValue } from '../k8s/types.ts';
import type { Walk } from './walk.ts';

/** Why, for a refusal. */
export const LIST_LIKE = 'with an array of this name at its top the API server takes the object for a list';

/**
 * @param items what a write has at the top under this name
 * @throws {ApiError} ERR_INVALID for an array, of a custom kind
 */
export function refuseListLike(items: JsonValue | undefined, walk: Walk): void {
  if (walk.at.kind.custom && Array.isArray(items)) walk.refuse((field) => forbiddenField(field, LIST_LIKE), 'items');
}
