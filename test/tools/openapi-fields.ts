/**
 * Walks the schemas of a live `/openapi/v3` from a kind down to every field, with paths in the table's own grammar, and
 * finds the fields that may hold a reference.
 *
 * @see src/kinds/kind.ts for the grammar
 */

import { isObject, type JsonObject, type JsonValue } from '../../src/k8s/types.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import type { Fetch } from './live.ts';

export type Schemas = ReadonlyMap<string, JsonObject>;

export interface Field {
  /** `core.v1.Container.name`: the definition without its Go prefix, and the property. */
  readonly name: string;
  /** `spec.template.spec.containers[].name`; a map's values end in `{}`. */
  readonly path: string;
  readonly description: string;
  /** Fields below it have paths of their own. */
  readonly isObject: boolean;
}

const GO_PREFIX =
  /^io\.k8s\.(api|apimachinery\.pkg\.apis|apiextensions-apiserver\.pkg\.apis|kube-aggregator\.pkg\.apis)\./;

/** Words in a field's name, or in what the API says about it, that make it a candidate. */
const NAME =
  /namespace|name|refs?$|reference|selector|group|user|class|apiversion|subject|owner|message|audience|signer|target|^note$|resources?$|kind$/i;
const DESCRIPTION =
  /\bnamespaces?\b|\breferences?\b|\breferent\b|\bselector\b|\bAPI ?group\b|\buser(name)?s?\b|\b\w*class\b|\bnames? of\b/i;

/** The same for a field that has fields of its own, which are candidates themselves. */
const OBJECT_NAME = /namespace|selectors?$|refs?$|(?<!p)reference|subject|owner/i;

/** Every definition that the host publishes, by its full name. */
export async function fetchSchemas(fetch: Fetch): Promise<Schemas> {
  const schemas = new Map<string, JsonObject>();
  const { paths } = await fetch('/openapi/v3');
  for (const path of Object.keys(isObject(paths) ? paths : {})) {
    if (!path.startsWith('api')) continue;
    // Not by the URL with a hash that is listed: beside an aggregated API it leads elsewhere for `apis`.
    const document = await fetch(`/openapi/v3/${path}`);
    const found = child(child(document, 'components'), 'schemas');
    for (const [name, schema] of Object.entries(found)) if (isObject(schema)) schemas.set(name, schema);
  }
  return schemas;
}

/** Every field of a kind, at every version that is served. `metadata`, `kind` and `apiVersion` are not the table's. */
export function* fieldsOf(schemas: Schemas, kind: Pick<Kind, 'group' | 'kind'>): Generator<Field> {
  for (const [name, schema] of schemas) {
    const served = list(schema['x-kubernetes-group-version-kind']);
    if (served.some((gvk) => gvk['group'] === kind.group && gvk['kind'] === kind.kind)) {
      for (const field of walk(schemas, name, '', [])) {
        if (!/^(metadata|kind|apiVersion)\b/.test(field.path)) yield field;
      }
    }
  }
}

function* walk(schemas: Schemas, definition: string, under: string, stack: readonly string[]): Generator<Field> {
  if (stack.includes(definition)) return;
  for (const [property, schema] of Object.entries(child(schemas.get(definition) ?? {}, 'properties'))) {
    if (!isObject(schema)) continue;
    const { tail, target } = unwrap(schema);
    const path = `${under === '' ? '' : `${under}.`}${property}${tail}`;
    const below = target !== undefined && schemas.get(target)?.['properties'] !== undefined ? target : undefined;
    const name = `${definition.replace(GO_PREFIX, '')}.${property}`;
    yield { name, path, description: String(schema['description'] ?? ''), isObject: below !== undefined };
    if (below !== undefined) yield* walk(schemas, below, path, [...stack, definition]);
  }
}

/** Takes lists and maps off a schema: `tail` is what they add to the path, `target` the definition inside. */
function unwrap(schema: JsonObject): { tail: string; target: string | undefined } {
  let tail = '';
  let inner = schema;
  for (;;) {
    if (isObject(inner['items'])) {
      tail += '[]';
      inner = inner['items'];
    } else if (isObject(inner['additionalProperties'])) {
      tail += '{}';
      inner = inner['additionalProperties'];
    } else {
      const reference = inner['$ref'] ?? list(inner['allOf'])[0]?.['$ref'];
      return { tail, target: typeof reference === 'string' ? reference.split('/').at(-1) : undefined };
    }
  }
}

/**
 * Whether a field may hold a reference, as far as words can tell. Keys of maps always may. An object is one by its own
 * name only (`namespaceSelector`, `secretRef`): what its description speaks of is in its fields, which are judged too.
 */
export function isCandidate(field: Field): boolean {
  const property = field.name.slice(field.name.lastIndexOf('.') + 1);
  if (field.isObject) return OBJECT_NAME.test(property);
  return NAME.test(property) || DESCRIPTION.test(field.description) || field.path.includes('{}');
}

/** Whether the table says what a field holds: itself, as a part of a larger reference, by its parts, or by hiding it. */
export function isInTable(
  kind: Pick<Kind, 'refs' | 'shows' | 'published'>,
  field: Pick<Field, 'path' | 'isObject'>,
): boolean {
  const { path } = field;
  if (
    kind.shows !== undefined &&
    kind.published === undefined &&
    !kind.shows.some((shown) => isWithin(path, shown) || isWithin(shown, path))
  )
    return true;
  return kind.refs.some(
    (reference) =>
      reference.path === path.replace(/\{\}$/, '{key}') ||
      isWithin(path, reference.path) ||
      (field.isObject && isWithin(reference.path, path)),
  );
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || (path.startsWith(outer) && '.[{'.includes(path.charAt(outer.length)));
}

function child(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : {};
}

function list(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
