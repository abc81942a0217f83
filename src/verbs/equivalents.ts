/**
 * A resource in its other versions, for rules of admission that name one of them, and its objects converted.
 * @see k8s.io/apimachinery pkg/runtime/mapper.go (EquivalentResourceRegistry) at v0.36
 */
import { ApiError } from '../errors.ts';
import { apiVersionOf, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import type { EquivalentResource } from '../ports.ts';
import type { Call, VerbDeps } from './call.ts';
import { convertObjects } from './convert-objects.ts';

export function equivalentsOf({ tenant, info, at, scope }: Call): EquivalentResource[] {
  const { group, version, resource, subresource } = info;
  const declared = subresource === '' ? undefined : at.kind.subresources[subresource];
  return [...scope.kinds.versionsOf(tenant, group, resource)].flatMap((other) => {
    if (other.version === version) return [];
    const own = { group, version: other.version, kind: at.kind.kind };
    // A body of a kind of its own is the same in all versions.
    const kind =
      declared?.kind === undefined ? own : { group: declared.group ?? group, version: 'v1', kind: declared.kind };
    return [{ group, version: other.version, resource, kind }];
  });
}

/** @throws {ApiError} ERR_INTERNAL where only the API server could convert */
export async function convertTo(
  call: Call,
  deps: VerbDeps,
  objects: readonly JsonObject[],
  apiVersion: string,
): Promise<JsonObject[]> {
  const { at, info } = call;
  if (at.conversion !== undefined) return await convertObjects(call, deps, objects, apiVersion);
  if (at.kind.custom) return objects.map((object) => ({ ...object, apiVersion }));
  const [, version] = splitApiVersion(apiVersion);
  const own = apiVersionOf(info.group, info.version);
  throw new ApiError(
    'ERR_INTERNAL',
    `Internal error occurred: unable to convert ${own}, Kind=${at.kind.kind} to ${version}: name this version in the rule`,
    { why: 'not-converted' },
  );
}
