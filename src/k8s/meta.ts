/** Reading `metadata` of objects that are plain JSON. Absent or misshapen fields read as empty. */
import { child, strings, text } from './read.ts';
import { isObject, type JsonObject, type JsonValue } from './types.ts';

export function metadataOf(object: JsonObject): JsonObject {
  return child(object, 'metadata');
}

export function nameOf(object: JsonObject): string {
  return text(metadataOf(object), 'name');
}

export function namespaceOf(object: JsonObject): string {
  return text(metadataOf(object), 'namespace');
}

export function uidOf(object: JsonObject): string {
  return text(metadataOf(object), 'uid');
}

export function versionOf(object: JsonObject): string {
  return text(metadataOf(object), 'resourceVersion');
}

export function labelsOf(object: JsonObject): Record<string, string> {
  return child(metadataOf(object), 'labels') as Record<string, string>;
}

/** Undefined when there is no such annotation. */
export function annotationOf(object: JsonObject, key: string): string | undefined {
  const annotations = child(metadataOf(object), 'annotations');
  const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

export function finalizersOf(object: JsonObject): string[] {
  return strings(metadataOf(object), 'finalizers');
}

/** True from the moment of its deletion until its last finalizer goes. */
export function isTerminating(object: JsonObject): boolean {
  return typeof metadataOf(object)['deletionTimestamp'] === 'string';
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

/** A map with more in it. What is no map stays as it is, for the API server to refuse with all that is in it. */
export function withEntries(map: JsonValue | undefined, add: (given: JsonObject) => JsonObject): JsonValue {
  const given = map ?? {};
  return isObject(given) ? add(given) : given;
}
