/**
 * Names of resources that hold a reference: keys of a ResourceQuota, and of the amounts that containers ask for.
 *
 *   count/foos.stable.example.com                        the group of a custom kind
 *   gold.storageclass.storage.k8s.io/requests.storage    a StorageClass
 *   gpu.deviceclass.resource.k8s.io/devices              a DeviceClass
 *   deviceclass.resource.kubernetes.io/gpu               the same, as an extended resource; with `requests.` in a quota
 *
 * @see https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
import { notFoundValue } from '../../k8s/field-problems.ts';
import type { JsonValue } from '../../k8s/types.ts';
import type { ResourceKey } from '../../kinds/kind.ts';
import type { Scope } from '../scope.ts';
import { groupTargetDown, groupToUpstream } from '../targets/group.ts';
import { nameTargetDown, nameTargetUp } from '../targets/name.ts';
import type { Walk } from '../walk.ts';

const COUNT = /^(count\/[^./]+\.)(.+)$/;
const CLASSES: ReadonlyArray<readonly [pattern: RegExp, of: ResourceKey]> = [
  [/^()(.+)(\.storageclass\.storage\.k8s\.io\/.+)$/, 'storage.k8s.io/storageclasses'],
  [/^()(.+)(\.deviceclass\.resource\.k8s\.io\/.+)$/, 'resource.k8s.io/deviceclasses'],
  [/^((?:requests\.)?deviceclass\.resource\.kubernetes\.io\/)(.+)()$/, 'resource.k8s.io/deviceclasses'],
];

export function quotaKeyUp(key: JsonValue, walk: Walk): JsonValue {
  return mapKey(
    key,
    (group) => groupToUpstream(group, walk.scope),
    (name, of) => {
      const mapped = nameTargetUp(name, of, walk.scope);
      if (mapped === undefined) walk.refuse((field) => notFoundValue(field, name));
      return mapped;
    },
  );
}

export function quotaKeyDown(key: JsonValue, walk: Walk): JsonValue {
  return quotaKeyToTenant(key, walk.scope);
}

/** The key as the tenant sees it. @throws {NotOurs} when it names something of somebody else */
export function quotaKeyToTenant(key: JsonValue, scope: Scope): JsonValue {
  return mapKey(
    key,
    (group) => groupTargetDown(group, scope),
    (name, of) => nameTargetDown(name, of, scope),
  );
}

function mapKey(
  key: JsonValue,
  mapGroup: (group: string) => JsonValue,
  mapName: (name: string, of: ResourceKey) => JsonValue,
): JsonValue {
  if (typeof key !== 'string') return key;
  const count = COUNT.exec(key);
  if (count !== null) return `${count[1]}${mapGroup(count[2] ?? '')}`;
  for (const [pattern, of] of CLASSES) {
    const found = pattern.exec(key);
    if (found !== null) return `${found[1]}${mapName(found[2] ?? '', of)}${found[3]}`;
  }
  return key;
}
