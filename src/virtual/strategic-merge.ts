/**
 * Strategic merge patch, which the API server does not offer for custom resources: the same result and the same
 * refusals as the native kind gives, with all directives (`$patch`, `$retainKeys`, `$setElementOrder/...`,
 * `$deleteFromPrimitiveList/...`). Odd corners are kept: test/integration/strategic-merge.test.ts compares the two.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 * @see k8s.io/apimachinery pkg/util/strategicpatch/patch.go at v0.36
 */
import { ApiError, type ErrorCode } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { mergeSlice, orderElements } from './merge-list.ts';
import {
  copyOf,
  DELETE_PREFIX,
  ORDER_PREFIX,
  PATCH,
  PatchError,
  type PatchFault,
  REPLACE,
  RETAIN,
  withoutDirectives,
  withoutNulls,
} from './patch-directives.ts';
import type { PatchSchema } from './patch-schema.ts';

/**
 * A copy of `current` with the patch applied; neither argument changes.
 * @throws {PatchError} when the patch cannot be applied
 */
export function applyStrategicMerge(current: JsonObject, patch: JsonObject, schema: PatchSchema): JsonObject {
  return mergeMap(copyOf(current), copyOf(patch), schema);
}

const CODES: Readonly<Record<PatchFault, ErrorCode>> = {
  'bad-request': 'ERR_BAD_REQUEST',
  invalid: 'ERR_INVALID',
  internal: 'ERR_INTERNAL',
};

/** The same, as an answer to a request. @throws {ApiError} when the patch cannot be applied */
export function mergeStrategic(current: JsonObject, patch: JsonObject, schema: PatchSchema): JsonObject {
  try {
    return applyStrategicMerge(current, patch, schema);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    // What nobody has foreseen has no reason there.
    const as = error.fault === 'internal' ? { as: { status: 500, reason: '' } } : {};
    throw new ApiError(CODES[error.fault], error.message, { cause: error, ...as });
  }
}

/** Merges `patch` into `original`; both may be changed. */
function mergeMap(original: JsonObject, patch: JsonObject, schema: PatchSchema): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return wholeMap(patch);
  retainKeys(original, patch);
  const ordered = mergeOrdered(original, patch, schema);
  for (const [key, value] of Object.entries(patch)) {
    if (ordered.has(key)) continue;
    if (key.startsWith(DELETE_PREFIX)) deleteFrom(original, fieldAfter(key, DELETE_PREFIX), value, schema);
    else mergeField(original, key, value, schema);
  }
  return original;
}

function wholeMap(patch: JsonObject): JsonObject {
  const { [PATCH]: directive, ...rest } = patch;
  if (directive === REPLACE) return rest;
  if (directive === 'delete') return {};
  throw new PatchError('internal', `unknown patch type: ${directive} in map: ${JSON.stringify(patch)}`);
}

/** `$retainKeys`: what it does not list goes; the patch may set nothing else. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN)) return;
  const list = patch[RETAIN];
  delete patch[RETAIN];
  if (!Array.isArray(list)) throw new PatchError('bad-request', 'invalid patch format of retainKeys');
  const retained = new Set(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(DELETE_PREFIX) || key.startsWith(ORDER_PREFIX)) continue;
    if (!retained.has(key)) throw new PatchError('bad-request', 'invalid patch format of retainKeys');
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

/** Handles every `$setElementOrder/...` with the list that it orders. Returns the keys of the patch that are done. */
function mergeOrdered(original: JsonObject, patch: JsonObject, schema: PatchSchema): Set<string> {
  const done = new Set<string>();
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(ORDER_PREFIX)) continue;
    done.add(directive);
    const key = fieldAfter(directive, ORDER_PREFIX);
    const live = Object.hasOwn(original, key) ? original[key] : undefined;
    const wanted = Object.hasOwn(patch, key) ? patch[key] : undefined;
    if (!Array.isArray(order)) throw typeMismatch('list', order);
    if (live !== undefined && !Array.isArray(live)) throw typeMismatch('list', live);
    if (wanted !== undefined && !Array.isArray(wanted)) throw typeMismatch('list', wanted);
    const field = listField(schema, key);
    const result = orderElements({ live, wanted, order, field, mergeMap });
    if (result === undefined) continue;
    put(original, key, result);
    done.add(key);
  }
  return done;
}

/** `$deleteFromPrimitiveList/finalizers: [...]`: of a list that is there; what is no list is merged as usual. */
function deleteFrom(original: JsonObject, key: string, value: JsonValue, schema: PatchSchema): void {
  const live = Object.hasOwn(original, key) ? original[key] : undefined;
  if (value !== null && (live === undefined || typeOf(live) !== typeOf(value))) return;
  if (!Array.isArray(live) || !Array.isArray(value)) mergeField(original, key, value, schema);
  else put(original, key, mergeSlice(live, value, listField(schema, key), mergeMap, true));
}

/** `finalizers` of `$setElementOrder/finalizers`. */
function fieldAfter(directive: string, prefix: string): string {
  if (directive.startsWith(`${prefix}/`)) return directive.slice(prefix.length + 1);
  const what = prefix === ORDER_PREFIX ? 'setElementOrder list' : 'primitive list';
  throw new PatchError('bad-request', `invalid patch format of ${what}`);
}

function mergeField(original: JsonObject, key: string, value: JsonValue, schema: PatchSchema): void {
  if (value === null) {
    delete original[key];
    return;
  }
  const live = Object.hasOwn(original, key) ? original[key] : undefined;
  if (isObject(live) && isObject(value)) {
    const field = fieldOf(schema, key);
    put(original, key, strategyOf(field) === REPLACE ? value : mergeMap(live, value, field));
  } else if (Array.isArray(live) && Array.isArray(value)) {
    const field = listField(schema, key);
    put(original, key, strategyOf(field) === 'merge' ? mergeSlice(live, value, field, mergeMap, false) : value);
  } else {
    // Nulls only mean "delete" where there is something; below what is new they go.
    if (live === undefined || typeOf(live) !== typeOf(value)) withoutNulls(value);
    const kept = withoutDirectives(value);
    if (kept === undefined) delete original[key];
    else put(original, key, kept);
  }
}

function fieldOf(schema: PatchSchema, key: string): PatchSchema {
  const { fields } = schema;
  if (fields === undefined) {
    throw new PatchError('internal', 'merging an object in json but data type is not struct, instead is: map');
  }
  const exact = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (exact !== undefined) return exact;
  const name = Object.keys(fields).find((field) => field.toLowerCase() === key.toLowerCase());
  const folded = name === undefined ? undefined : fields[name];
  if (folded === undefined) throw new PatchError('internal', `unable to find api field for the json field "${key}"`);
  return folded;
}

function listField(schema: PatchSchema, key: string): PatchSchema {
  const field = fieldOf(schema, key);
  if (field.items === undefined) throw new PatchError('internal', `expected slice or array type for "${key}"`);
  return field;
}

/** The strategy besides `retainKeys`, which the patch itself says. */
function strategyOf(field: PatchSchema): string {
  const strategies = (field.strategy ?? '').split(',').filter((strategy) => strategy !== 'retainKeys');
  return strategies[0] ?? '';
}

function typeMismatch(expected: string, actual: JsonValue): PatchError {
  return new PatchError('internal', `expected a ${expected}, but received a ${typeOf(actual)}`);
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** Sets a key as data, even one called `__proto__`. */
function put(object: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
