/**
 * Metadata of a template (of pods, claims, jobs): what is made from it carries its labels and annotations, so the keys
 * that are refused in an object are refused here. Its `namespace`, where the API has one, is the object's own.
 */
import { isObject, type JsonValue } from '../../k8s/types.ts';
import { dropOwnKeys, refuseOwnKeys } from '../own-keys.ts';
import { namespaceToTenant, namespaceToUpstream } from '../targets/namespace.ts';
import type { Walk } from '../walk.ts';

export function templateMetadataUp(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  refuseOwnKeys(value, (fault, below) => walk.refuse(fault, below));
  if (Object.hasOwn(value, 'namespace'))
    value['namespace'] = namespaceToUpstream(value['namespace'] ?? null, walk.scope);
  return value;
}

export function templateMetadataDown(value: JsonValue, walk: Walk): JsonValue {
  if (!isObject(value)) return value;
  dropOwnKeys(value);
  if (Object.hasOwn(value, 'namespace')) value['namespace'] = namespaceToTenant(value['namespace'] ?? null, walk.scope);
  return value;
}
