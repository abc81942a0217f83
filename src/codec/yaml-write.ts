/**
 * JSON values -> YAML text, in block style with sorted keys as kube-apiserver writes it. Linear in the size of the
 * object: a list of thousands of pods must not hold up the process, as a general YAML writer would.
 *
 * A string is written plain only when no YAML reader, 1.1 or 1.2, could take it for anything else; otherwise in double
 * quotes with JSON's escapes, which are YAML's too.
 *
 * @see https://yaml.org/spec/1.2.2/#73-flow-scalar-styles
 */
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

/** Printable ASCII that starts with a letter or `/` and has no `: `, ` #`, or colon or space at its end. */
const PLAIN = /^[A-Za-z/](?:[!"$-9;-~]|[:#](?=[!"$-~])(?<! #)| (?=[!"$-~]))*$/;
/** What some reader takes for a boolean, null or a number. */
const SPECIAL = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
/** Characters that JSON leaves as they are, but a YAML stream may not hold. */
const UNPRINTABLE = /[\x7f-\x9f\ufeff\ufffe\uffff]/g;

interface RawNumber {
  readonly rawJSON: string;
}
const isRawJson = (JSON as unknown as { isRawJSON(value: unknown): value is RawNumber }).isRawJSON;

/** The order of a map's keys. */
type KeysOf = (map: JsonObject) => string[];
const SORTED: KeysOf = (map) => Object.keys(map).sort();

/** One document, ending in a newline. @param keysOf in another order than sorted */
export function writeYaml(value: JsonValue, keysOf: KeysOf = SORTED): string {
  const out: string[] = [];
  writeBlock(value, '', out, keysOf);
  return `${out.join('\n')}\n`;
}

/** Writes a value that starts on a line of its own. */
function writeBlock(value: JsonValue, indent: string, out: string[], keysOf: KeysOf): void {
  if (Array.isArray(value) && value.length > 0) writeArray(value, indent, out, keysOf);
  else if (isMap(value) && hasKeys(value)) writeMap(value, indent, out, keysOf);
  else out.push(indent + scalar(value));
}

function writeMap(map: JsonObject, indent: string, out: string[], keysOf: KeysOf): void {
  for (const key of keysOf(map)) {
    const value = map[key];
    if (value !== undefined) writeAfter(`${indent}${text(key)}:`, value, indent, out, keysOf);
  }
}

/** Writes what follows `key:`. Items of an array stand at the key's own indent, as Kubernetes writes them. */
function writeAfter(head: string, value: JsonValue, indent: string, out: string[], keysOf: KeysOf): void {
  if (Array.isArray(value) && value.length > 0) {
    out.push(head);
    writeArray(value, indent, out, keysOf);
  } else if (isMap(value) && hasKeys(value)) {
    out.push(head);
    writeMap(value, `${indent}  `, out, keysOf);
  } else out.push(`${head} ${scalar(value)}`);
}

function writeArray(items: readonly JsonValue[], indent: string, out: string[], keysOf: KeysOf): void {
  for (const item of items) {
    const from = out.length;
    writeBlock(item, `${indent}  `, out, keysOf);
    // The first line of the item carries the dash in place of its last two spaces.
    out[from] = `${indent}- ${(out[from] ?? '').slice(indent.length + 2)}`;
  }
}

function scalar(value: JsonValue): string {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return '[]';
  return isMap(value) ? '{}' : JSON.stringify(value);
}

function text(value: string): string {
  if (PLAIN.test(value) && !SPECIAL.test(value)) return value;
  return JSON.stringify(value).replace(UNPRINTABLE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function isMap(value: JsonValue): value is JsonObject {
  return isObject(value) && !isRawJson(value);
}

function hasKeys(map: JsonObject): boolean {
  for (const _ in map) return true;
  return false;
}
