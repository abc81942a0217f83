/**
 * One YAML document -> JSON values, read as kube-apiserver reads it: YAML 1.1 booleans and octals, but times stay text.
 *
 * Refuses what has no JSON form or is only good for mischief: several documents, keys that are no scalars, a key that
 * stands twice, tags beyond JSON's, infinities, more aliases or levels than the caps, and more text than the cap, for
 * YAML costs a hundred times what JSON costs.
 *
 * @see sigs.k8s.io/yaml (YAMLToJSON), as k8s.io/apimachinery v0.36 uses it
 */
import { type DocumentOptions, type ParseOptions, parseAllDocuments, type SchemaOptions } from 'yaml';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { JsonSyntaxError, MAX_JSON_DEPTH } from './json.ts';

/** Characters of YAML text. The same document as JSON has no such limit. */
export const MAX_YAML_CHARACTERS = 512 * 1024;
const MAX_ALIASES = 100;
/** Without a JSON form, or not what Kubernetes makes of them. */
const DROPPED_TAGS = new Set(['timestamp', 'binary', 'set', 'omap', 'pairs'].map((tag) => `tag:yaml.org,2002:${tag}`));

const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions & { logLevel: 'silent' } = {
  version: '1.1',
  merge: true,
  intAsBigInt: true,
  uniqueKeys: true,
  stringKeys: true,
  prettyErrors: true,
  logLevel: 'silent',
  customTags: (tags) =>
    tags.filter((tag) => typeof tag === 'string' || (!DROPPED_TAGS.has(tag.tag) && tag.format !== 'TIME')),
};

const rawJson = (JSON as unknown as { rawJSON(text: string): JsonValue }).rawJSON;

/** @throws {JsonSyntaxError} fit for the sender, with the line */
export function parseYaml(text: string): JsonValue {
  if (text.length > MAX_YAML_CHARACTERS) {
    throw new JsonSyntaxError(`YAML is taken up to ${MAX_YAML_CHARACTERS} characters: send this document as JSON`);
  }
  let plain: unknown;
  try {
    const [document, second] = parseAllDocuments(text, OPTIONS);
    if (document === undefined || !('errors' in document)) throw new JsonSyntaxError('yaml: the document is empty');
    if (second !== undefined) throw new JsonSyntaxError('yaml: only one document is taken');
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault !== undefined) throw new JsonSyntaxError(`yaml: ${firstLine(fault.message)}`);
    plain = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    if (cause instanceof JsonSyntaxError) throw cause;
    if (cause instanceof RangeError) throw new JsonSyntaxError('yaml: nested too deep', { cause });
    if (cause instanceof ReferenceError) throw new JsonSyntaxError('yaml: too many or unresolved aliases', { cause });
    throw new JsonSyntaxError('yaml: unreadable', { cause });
  }
  return toJson(plain, 0);
}

/** Where and what, without the excerpt of the document that follows: it may be a secret on its way to a log. */
function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
}

function toJson(value: unknown, depth: number): JsonValue {
  if (depth > MAX_JSON_DEPTH) throw new JsonSyntaxError(`yaml: nested deeper than ${MAX_JSON_DEPTH} levels`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : rawJson(value.toString());
    case 'number':
      if (!Number.isFinite(value)) throw new JsonSyntaxError('yaml: infinities and NaN have no JSON form');
      return value;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
      return toObject(value, depth);
    default:
      throw new JsonSyntaxError('yaml: a value has no JSON form');
  }
}

function toObject(value: object, depth: number): JsonObject {
  const object: JsonObject = {};
  for (const [key, each] of Object.entries(value)) {
    // Defined, not assigned: `__proto__` is a key like any other.
    Object.defineProperty(object, key, {
      value: toJson(each, depth + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return object;
}
