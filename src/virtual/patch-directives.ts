/**
 * The directives of strategic merge patch, and how a patch that cannot be applied is reported.
 * @see k8s.io/apimachinery pkg/util/strategicpatch/patch.go at v0.36
 */
import { cloneJson } from '../codec/json.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

export const PATCH = '$patch';
export const REPLACE = 'replace';
export const RETAIN = '$retainKeys';
export const ORDER_PREFIX = '$setElementOrder';
export const DELETE_PREFIX = '$deleteFromPrimitiveList';

/** What kube-apiserver answers: `bad-request` 400, `invalid` 422, `internal` 500. */
export type PatchFault = 'bad-request' | 'invalid' | 'internal';

export class PatchError extends Error {
  readonly fault: PatchFault;

  constructor(fault: PatchFault, message: string) {
    super(message);
    this.name = 'PatchError';
    this.fault = fault;
  }
}

/** A deep copy; keys stay data, even one called `__proto__`. */
export function copyOf<T extends JsonValue>(value: T): T {
  return cloneJson(value);
}

/** A value that is taken over whole: maps that carry `$patch` go, at any depth. Undefined when it is one itself. */
export function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const kept = withoutDirectives(inner);
    if (kept === undefined) delete value[key];
    else if (kept !== inner) value[key] = kept;
  }
  return value;
}

/** Takes null fields out of all objects in `value`, in place. Nulls in lists stay. */
export function withoutNulls(value: JsonValue): void {
  if (Array.isArray(value)) value.forEach(withoutNulls);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (inner === null) delete value[key];
      else withoutNulls(inner);
    }
  }
}

/** True for an entry of a keyed list that says "delete the one with my key". */
export function isDeletion(item: JsonValue): boolean {
  return isObject(item) && item[PATCH] === 'delete';
}

export function isDirective(item: JsonValue): item is JsonObject {
  return isObject(item) && Object.hasOwn(item, PATCH);
}
