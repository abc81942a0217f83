/**
 * A resource in its other versions, for rules of admission that name one of them, and its objects converted. Kinds of
 * Kubernetes' own are converted here, as fixedly as the API server does: to ask it would take a write.
 * @see k8s.io/apimachinery pkg/runtime/mapper.go (EquivalentResourceRegistry) at v0.36
 */
import { ApiError } from '../errors.ts';
import { apiVersionOf, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import type { EquivalentResource } from '../ports.ts';
import { convertedTo, groupsServing } from '../versions/convert.ts';
import type { Call, VerbDeps } from './call.ts';
import { convertObjects } from './convert-objects.ts';

export function equivalentsOf({ tenant, info, at, scope }: Call): EquivalentResource[] {
  const { resource, subresource } = info;
  const declared = subresource === '' ? undefined : at.kind.subresources[subresource];
  return groupsServing(info.group, resource).flatMap((group) =>
    [...scope.kinds.versionsOf(tenant, group, resource)].flatMap(({ version, kind: { kind } }) => {
      if (group === info.group && version === info.version) return [];
      // A body of a kind of its own is the same in all versions.
      const body =
        declared?.kind === undefined
          ? { group, version, kind }
          : { group: declared.group ?? group, version: 'v1', kind: declared.kind };
      return [{ group, version, resource, kind: body }];
    }),
  );
}

/** @throws {ApiError} ERR_INTERNAL where only the API server could convert: of a kind of which this is not known here */
export async function convertTo(
  call: Call,
  deps: VerbDeps,
  objects: readonly JsonObject[],
  apiVersion: string,
): Promise<JsonObject[]> {
  const { at, info } = call;
  if (at.conversion !== undefined) return await convertObjects(call, deps, objects, apiVersion);
  if (at.kind.custom) return objects.map((object) => ({ ...object, apiVersion }));
  return objects.map((object) => {
    const converted = convertedTo(object, apiVersion);
    if (converted !== undefined) return converted;
    const own = apiVersionOf(info.group, info.version);
    const [, version] = splitApiVersion(apiVersion);
    throw new ApiError(
      'ERR_INTERNAL',
      `Internal error occurred: unable to convert ${own}, Kind=${at.kind.kind} to ${version}: name this version in the rule`,
      { why: 'not-converted' },
    );
  });
}
