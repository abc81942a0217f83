/**
 * Cases for a comparison with the plain API server: a valid object, and changes to it by path.
 * `webhooks[0].rules[0].scope: Frob` sets a field, `[]` at the end of a path adds an item. Null is for the API server as
 * if the field were not there.
 */
import { cloneJson } from '../../src/codec/json.ts';
import type { JsonObject, JsonValue } from '../../src/k8s/types.ts';

export type Change = Readonly<Record<string, JsonValue>>;

/** A copy of the object with the changes. */
export function changed(object: JsonObject, change: Change): JsonObject {
  const copy = cloneJson(object);
  for (const [path, value] of Object.entries(change)) set(copy, path, value);
  return copy;
}

function set(object: JsonObject, path: string, value: JsonValue): void {
  const steps = path.split(/[.[]/).map((step) => step.replace(/\]$/, ''));
  const last = steps.pop() ?? '';
  // biome-ignore lint/suspicious/noExplicitAny: a path leads through anything, and one that leads nowhere fails the test
  let at: any = object;
  for (const step of steps) at = at[step] ??= {};
  if (last === '' && Array.isArray(at)) at.push(cloneJson(value));
  else at[last] = cloneJson(value);
}
