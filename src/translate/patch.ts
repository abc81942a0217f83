/**
 * A patch in upstream terms, of any of the four types. It goes upstream as a patch.
 *
 * A patch can neither set nor drop what is the proxy's own. The few patches whose effect depends on the object they meet
 * throw NeedsLiveObject: the caller reads, applies the patch in tenant terms (`apply.ts`) and writes.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply
 */
import { ApiError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { isLabelled } from './names-check.ts';
import { fragmentToUpstream } from './object.ts';
import { jsonPatchToUpstream } from './patch-json.ts';
import type { Scope } from './scope.ts';
import { NeedsLiveObject, type Shape } from './walk.ts';

export { NeedsLiveObject };

const SHAPES: ReadonlyMap<string, Shape> = new Map([
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'whole'],
]);

/**
 * Maps a patch, which may be changed in place.
 * @param contentType media type without parameters
 * @param name of the object, in tenant terms: for what is said of it in a refusal
 * @throws {ApiError} ERR_BAD_REQUEST, ERR_INVALID, ERR_UNSUPPORTED_MEDIA_TYPE; NeedsLiveObject
 */
export function patchToUpstream(
  patch: JsonValue,
  contentType: string,
  at: KindAtVersion,
  scope: Scope,
  subresource = '',
  name = '',
): JsonValue {
  if (contentType === 'application/json-patch+json') {
    if (!Array.isArray(patch)) throw new ApiError('ERR_BAD_REQUEST', 'a JSON patch must be an array of operations');
    return jsonPatchToUpstream(patch, at, scope, subresource, name);
  }
  const shape = SHAPES.get(contentType);
  if (shape === undefined) {
    throw new ApiError(
      'ERR_UNSUPPORTED_MEDIA_TYPE',
      `patches of type ${JSON.stringify(contentType)} are not supported`,
    );
  }
  if (!isObject(patch)) throw new ApiError('ERR_BAD_REQUEST', 'the patch must be an object');
  if (Object.hasOwn(patch, '$patch') && isLabelled(at)) throw new NeedsLiveObject('$patch for the whole object');
  return fragmentToUpstream(patch, at, scope, shape, subresource, name) as JsonObject;
}
