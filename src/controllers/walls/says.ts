/** Does what is stored on the host say what a manifest says, and nothing that loosens it? */
import { isObject, type JsonValue } from '../../k8s/types.ts';

/** What the API server fills in where a manifest says nothing. Anything else that is not in the manifest loosens it. */
const DEFAULTS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['matchPolicy', 'Equivalent'],
  ['namespaceSelector', {}],
  ['objectSelector', {}],
  ['scope', '*'],
]);

function isDefault(key: string, value: JsonValue): boolean {
  return JSON.stringify(DEFAULTS.get(key)) === JSON.stringify(value);
}

/**
 * True when `stored` says all that `wanted` says, and beyond it only what `mayAdd` allows.
 * @param mayAdd what the API server fills in, when left out
 */
export function says(
  stored: JsonValue | undefined,
  wanted: JsonValue | undefined,
  mayAdd: (key: string, value: JsonValue) => boolean = isDefault,
): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(stored) || stored.length !== wanted.length) return false;
    return wanted.every((item, index) => says(stored[index], item, mayAdd));
  }
  if (!isObject(wanted)) return JSON.stringify(stored) === JSON.stringify(wanted);
  if (!isObject(stored)) return false;
  return (
    Object.entries(wanted).every(([key, value]) => says(stored[key], value, mayAdd)) &&
    Object.entries(stored).every(([key, value]) => Object.hasOwn(wanted, key) || mayAdd(key, value))
  );
}
