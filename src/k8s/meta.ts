/** Reading `metadata` of objects that are plain JSON. Absent or misshapen fields read as empty. */
import { isObject, type JsonObject } from './types.ts';

export function metadataOf(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  return isObject(metadata) ? metadata : {};
}

export function nameOf(object: JsonObject): string {
  return text(metadataOf(object)['name']);
}

export function namespaceOf(object: JsonObject): string {
  return text(metadataOf(object)['namespace']);
}

export function uidOf(object: JsonObject): string {
  return text(metadataOf(object)['uid']);
}

export function versionOf(object: JsonObject): string {
  return text(metadataOf(object)['resourceVersion']);
}

export function labelsOf(object: JsonObject): Record<string, string> {
  const labels = metadataOf(object)['labels'];
  return isObject(labels) ? (labels as Record<string, string>) : {};
}

/** `web/app`, or `reader` for a cluster-scoped object. */
export function keyOf(object: JsonObject): string {
  const namespace = namespaceOf(object);
  return namespace === '' ? nameOf(object) : `${namespace}/${nameOf(object)}`;
}

/**
 * Compares resourceVersions of one resource type as unsigned decimals of any length.
 *
 * @see https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/5504-comparable-resource-version
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
