/** `metadata.labels` of a Namespace: `kubernetes.io/metadata.name` holds its name. */
import { isObject, type JsonValue } from '../../k8s/types.ts';
import { namespaceToTenant, namespaceToUpstream } from '../targets/namespace.ts';
import { NAMESPACE_NAME_LABEL } from '../targets/namespace-selector.ts';
import type { Walk } from '../walk.ts';

export function namespaceLabelsUp(value: JsonValue, walk: Walk): JsonValue {
  return mapLabel(value, (name) => namespaceToUpstream(name, walk.scope));
}

export function namespaceLabelsDown(value: JsonValue, walk: Walk): JsonValue {
  return mapLabel(value, (name) => namespaceToTenant(name, walk.scope));
}

function mapLabel(labels: JsonValue, map: (name: JsonValue) => JsonValue): JsonValue {
  if (isObject(labels) && Object.hasOwn(labels, NAMESPACE_NAME_LABEL)) {
    labels[NAMESPACE_NAME_LABEL] = map(labels[NAMESPACE_NAME_LABEL] ?? null);
  }
  return labels;
}
