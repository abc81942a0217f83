/**
 * Reading objects that are plain JSON and may be misshapen: what is not there, or not of the kind that was asked for,
 * reads as empty. Keys are the reader's own, never a client's; `__proto__` is no field.
 */
import { isObject, type JsonObject } from './types.ts';

/** The object at `key`; an empty one when there is none. */
export function child(object: JsonObject | undefined, key: string): JsonObject {
  const value = object?.[key];
  return isObject(value) ? value : {};
}

/** The objects of the list at `key`; what else is in the list is left out. */
export function objects(object: JsonObject | undefined, key: string): JsonObject[] {
  const value = object?.[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The texts of the list at `key`; what else is in the list is left out. */
export function strings(object: JsonObject | undefined, key: string): string[] {
  const value = object?.[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The text at `key`; `''` when there is none. */
export function text(object: JsonObject | undefined, key: string): string {
  const value = object?.[key];
  return typeof value === 'string' ? value : '';
}
