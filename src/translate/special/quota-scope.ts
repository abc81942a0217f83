/**
 * One expression of a quota's scope selector: the values of two scopes are names of classes.
 * @see k8s.io/api core/v1/types.go (ResourceQuotaScope) at v0.36
 */
import { isObject, type JsonValue } from '../../k8s/types.ts';
import type { ResourceKey } from '../../kinds/kind.ts';
import { nameTargetDown, nameUp } from '../targets/name.ts';
import type { Walk } from '../walk.ts';

const SCOPES: ReadonlyMap<JsonValue | undefined, ResourceKey> = new Map([
  ['PriorityClass', 'scheduling.k8s.io/priorityclasses'],
  ['VolumeAttributesClass', 'storage.k8s.io/volumeattributesclasses'],
]);

export function quotaScopeUp(value: JsonValue, walk: Walk): JsonValue {
  return mapValues(value, (name, of) => nameUp(name, of, walk));
}

export function quotaScopeDown(value: JsonValue, walk: Walk): JsonValue {
  return mapValues(value, (name, of) => nameTargetDown(name, of, walk.scope));
}

function mapValues(value: JsonValue, map: (name: JsonValue, of: ResourceKey) => JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const of = SCOPES.get(value['scopeName']);
  const { values } = value;
  if (of !== undefined && Array.isArray(values)) value['values'] = values.map((name) => map(name, of));
  return value;
}
