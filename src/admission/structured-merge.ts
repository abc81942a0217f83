/**
 * Merges what a mutation wants into an object, field by field, as server-side apply does, without an owner.
 * Lists and maps that are replaced as a whole may not be named: the rest of them would be lost unseen.
 *
 * @see k8s.io/apiserver pkg/admission/plugin/policy/mutating/patch/smd.go at v0.36
 */
import { cloneJson } from '../codec/json.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { sameJson } from '../lib/same-json.ts';
import { misfit } from './misfit.ts';
import type { MergeSchema } from './schema.ts';

/** The mutation cannot be merged. */
export class MergeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MergeError';
  }
}

/** A new object. @throws {MergeError} */
export function structuredMerge(object: JsonObject, wanted: JsonObject, schema: MergeSchema): JsonObject {
  const fault = misfit(wanted, schema);
  if (fault !== undefined) throw new MergeError(`failed to convert patch object to typed object: ${fault}`);
  const atomics = atomicsIn(wanted, schema, '');
  if (atomics.length > 0) {
    throw new MergeError(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  }
  return merge(object, wanted, schema) as JsonObject;
}

/** Places of the mutation that only a whole value could change. */
function atomicsIn(wanted: JsonValue, schema: MergeSchema | undefined, path: string): string[] {
  if (schema === undefined) return [];
  const here = schema.isAtomic && (isObject(wanted) || Array.isArray(wanted)) ? [path] : [];
  if (isObject(wanted)) {
    const inner = Object.entries(wanted).flatMap(([name, value]) =>
      atomicsIn(value, schema.field(name), `${path}.${name}`),
    );
    return [...here, ...inner];
  }
  if (!Array.isArray(wanted)) return here;
  return [...here, ...wanted.flatMap((item, index) => atomicsIn(item, schema.items(), `${path}[${index}]`))];
}

function merge(current: JsonValue | undefined, wanted: JsonValue, schema: MergeSchema | undefined): JsonValue {
  if (isObject(wanted)) {
    const merged = new Map(Object.entries(isObject(current) ? current : {}));
    for (const [name, value] of Object.entries(wanted))
      merged.set(name, merge(merged.get(name), value, schema?.field(name)));
    return Object.fromEntries(merged);
  }
  if (!Array.isArray(wanted)) return wanted;
  const items = Array.isArray(current) ? current.map((item) => cloneJson(item)) : [];
  const keys = schema?.keys;
  if (keys === undefined) return cloneJson(wanted);
  for (const item of wanted) {
    const place = items.findIndex((other) => isSame(other, item, keys));
    if (place < 0) items.push(cloneJson(item));
    else if (keys.length > 0) items[place] = merge(items[place], item, schema?.items());
  }
  return items;
}

function isSame(a: JsonValue, b: JsonValue, keys: readonly string[]): boolean {
  if (keys.length === 0) return sameJson(a, b);
  return isObject(a) && isObject(b) && keys.every((key) => sameJson(a[key] ?? null, b[key] ?? null));
}
