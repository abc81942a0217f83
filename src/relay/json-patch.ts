/** The JSON patch that makes one document of another: by fields, and lists as a whole. */
import { formatPointer } from '../k8s/json-pointer.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { sameJson } from '../lib/same-json.ts';

/** @see https://www.rfc-editor.org/rfc/rfc6902 */
export function patchBetween(before: JsonObject, after: JsonObject): JsonObject[] {
  return [...operations(before, after, [])];
}

function* operations(before: JsonObject, after: JsonObject, at: readonly string[]): Generator<JsonObject> {
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) yield { op: 'remove', path: formatPointer([...at, key]) };
  }
  for (const [key, value] of Object.entries(after)) {
    const path = [...at, key];
    const old: JsonValue | undefined = Object.hasOwn(before, key) ? before[key] : undefined;
    if (old === undefined) yield { op: 'add', path: formatPointer(path), value };
    else if (isObject(old) && isObject(value)) yield* operations(old, value, path);
    else if (!sameJson(old, value)) yield { op: 'replace', path: formatPointer(path), value };
  }
}
