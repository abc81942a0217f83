/**
 * Applies a JSON patch or a merge patch to an object in tenant terms: for the patches that cannot be mapped without the
 * object they meet. Same results and refusals as kube-apiserver's.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6902 and https://www.rfc-editor.org/rfc/rfc7386
 */
import { cloneJson, MAX_JSON_DEPTH, stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { parsePointer } from '../k8s/json-pointer.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { TEST_FAILED, unappliable } from './unappliable.ts';

/** What all `copy` operations of a patch may add, in characters: as the API server's limit on bodies. */
const COPIED_CHARS_MAX = 3 * 1024 * 1024;
/**
 * How many elements of lists all operations of a patch may move along, to make room or to close a gap: as many as take some
 * hundredths of a second. Ten thousand operations at the front of a list of a million would take many seconds.
 */
const MOVED_ELEMENTS_MAX = 30_000_000;

/**
 * The object as the patch leaves it. `object` may be changed; `patch` is not.
 * @throws {ApiError} ERR_INVALID (a test that fails, a path that is not there, what is no operation), ERR_TOO_LARGE;
 *   ERR_UNSUPPORTED_MEDIA_TYPE for other types of patch
 */
export function applyPatch(object: JsonObject, patch: JsonValue, contentType: string): JsonObject {
  let result: JsonValue;
  if (contentType === 'application/json-patch+json' && Array.isArray(patch))
    result = withoutDepth(() => applyJsonPatch(object, patch));
  else if (contentType === 'application/merge-patch+json') result = mergePatch(object, patch);
  else
    throw new ApiError(
      'ERR_UNSUPPORTED_MEDIA_TYPE',
      `a patch of type ${JSON.stringify(contentType)} cannot be applied here`,
    );
  if (!isObject(result)) throw unappliable('the patch leaves no object');
  return result;
}

/** Copies and moves may nest what no body may; so deep that no stack is left for it. */
function withoutDepth(apply: () => JsonValue): JsonValue {
  let result: JsonValue;
  try {
    result = apply();
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : error;
  }
  if (isDeeper(result, MAX_JSON_DEPTH)) throw tooDeep();
  return result;
}

function tooDeep(): ApiError {
  return unappliable(`the JSON patch nests deeper than ${MAX_JSON_DEPTH} levels`);
}

/** Level by level: recursion would fail where it matters. */
function isDeeper(value: JsonValue, levels: number): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((one) => (Array.isArray(one) ? one : isObject(one) ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function mergePatch(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const entries = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) entries.delete(key);
    else entries.set(key, mergePatch(entries.get(key) ?? null, value));
  }
  return Object.fromEntries(entries);
}

function applyJsonPatch(object: JsonObject, operations: readonly JsonValue[]): JsonValue {
  // One box around the document, so that its root is a place like any other.
  const box: JsonObject = { root: object };
  let copied = 0;
  let moved = 0;
  const move: Move = (elements) => {
    moved += elements;
    if (moved > MOVED_ELEMENTS_MAX) throw new ApiError('ERR_TOO_LARGE', 'the JSON patch moves too much');
  };
  for (const operation of operations) {
    if (!isObject(operation)) throw unappliable('an operation of the JSON patch is not an object');
    const { op } = operation;
    const path = tokensOf(operation['path']);
    // As the library of the API server: the whole document has no place to be added to or taken from.
    if (path.length === 1 && op !== 'replace') throw unappliable(`${JSON.stringify(op)} of the whole object`);
    switch (op) {
      case 'add':
        add(box, path, cloneJson(operation['value'] ?? null), move);
        break;
      case 'remove':
        remove(box, path, move);
        break;
      case 'replace':
        // A key that is not there yet is made, as the API server does.
        write(box, path, cloneJson(operation['value'] ?? null));
        break;
      case 'move':
        add(box, path, remove(box, tokensOf(operation['from']), move), move);
        break;
      case 'copy': {
        const text = stringifyJson(read(box, tokensOf(operation['from'])));
        copied += text.length;
        if (copied > COPIED_CHARS_MAX) throw new ApiError('ERR_TOO_LARGE', 'the JSON patch copies too much');
        add(box, path, cloneJson(read(box, tokensOf(operation['from']))), move);
        break;
      }
      case 'test':
        if (!same(read(box, path, true), operation['value'] ?? null))
          throw unappliable(`test failed at ${operation['path']}`, TEST_FAILED);
        break;
      default:
        throw unappliable(`${JSON.stringify(op)} is no operation of a JSON patch`);
    }
  }
  return box['root'] ?? null;
}

/** Told how many elements of a list are moved along, before they are. @throws {ApiError} ERR_TOO_LARGE */
type Move = (elements: number) => void;

function tokensOf(pointer: JsonValue | undefined): string[] {
  const tokens = typeof pointer === 'string' ? parsePointer(pointer) : undefined;
  if (tokens === undefined) throw unappliable('a path of the JSON patch is no JSON pointer');
  return ['root', ...tokens];
}

/** The container that holds the last token of a path. */
function parentOf(box: JsonObject, tokens: readonly string[]): JsonObject | JsonValue[] {
  const value = tokens.length === 1 ? box : read(box, tokens.slice(0, -1));
  if (isObject(value) || Array.isArray(value)) return value;
  throw missing(tokens);
}

function read(box: JsonObject, tokens: readonly string[], orNull = false): JsonValue {
  let value: JsonValue = box;
  for (const [at, token] of tokens.entries()) {
    const isLast = at === tokens.length - 1;
    if (Array.isArray(value)) value = value[indexIn(value, token, value.length - 1, tokens)] ?? null;
    else if (isObject(value) && Object.hasOwn(value, token)) value = value[token] ?? null;
    else if (orNull && isLast) return null;
    else throw missing(tokens);
  }
  return value;
}

function add(box: JsonObject, tokens: readonly string[], value: JsonValue, move: Move): void {
  const parent = parentOf(box, tokens);
  const last = tokens.at(-1) ?? '';
  if (Array.isArray(parent)) {
    const at = last === '-' ? parent.length : indexIn(parent, last, parent.length, tokens);
    move(parent.length - at);
    parent.splice(at, 0, value);
  } else define(parent, last, value);
}

function write(box: JsonObject, tokens: readonly string[], value: JsonValue): void {
  const parent = parentOf(box, tokens);
  const last = tokens.at(-1) ?? '';
  if (Array.isArray(parent)) parent[indexIn(parent, last, parent.length - 1, tokens)] = value;
  else define(parent, last, value);
}

function remove(box: JsonObject, tokens: readonly string[], move: Move): JsonValue {
  const value = read(box, tokens);
  const parent = parentOf(box, tokens);
  const last = tokens.at(-1) ?? '';
  if (Array.isArray(parent)) {
    const at = indexIn(parent, last, parent.length - 1, tokens);
    move(parent.length - at);
    parent.splice(at, 1);
  } else delete parent[last];
  return value;
}

/** Negative indices count from the end, as the API server takes them. */
function indexIn(list: readonly JsonValue[], token: string, max: number, tokens: readonly string[]): number {
  const index = /^-?\d+$/.test(token) ? Number(token) : Number.NaN;
  const at = index < 0 ? index + list.length : index;
  if (!(at >= 0 && at <= max)) throw missing(tokens);
  return at;
}

/** Sets a key whatever it is called: an assignment to `__proto__` would set the prototype instead. */
function define(object: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

function same(a: JsonValue, b: JsonValue): boolean {
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at] ?? null));
  if (isObject(a)) {
    if (!isObject(b) || Object.keys(a).length !== Object.keys(b).length) return false;
    return Object.entries(a).every(([key, value]) => Object.hasOwn(b, key) && same(value, b[key] ?? null));
  }
  // Numbers that are kept as text compare by their digits.
  return a === b || (typeof a === typeof b && typeof a === 'object' && stringifyJson(a) === stringifyJson(b));
}

function missing(tokens: readonly string[]): ApiError {
  return unappliable(`there is nothing at /${tokens.slice(1).join('/')}`);
}
