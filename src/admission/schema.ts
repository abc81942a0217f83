/**
 * What the schema of a kind says of how its fields merge: which lists are keyed, which are replaced as a whole.
 * Read from the host's OpenAPI v3, in upstream terms; only structure is taken from it.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
import { child, objects, strings, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';

/** What is at a place. */
export type Sort = 'map' | 'list' | 'string' | 'number' | 'boolean';

/** How one place of an object merges. */
export interface MergeSchema {
  /** Undefined where anything may be. */
  readonly sort: Sort | undefined;
  /** May there be a field of this name? */
  declares(name: string): boolean;
  readonly isAtomic: boolean;
  /** Of a list: the fields that tell its items apart; `[]` for a set of scalars; undefined for one without keys. */
  readonly keys: readonly string[] | undefined;
  field(name: string): MergeSchema | undefined;
  items(): MergeSchema | undefined;
}

/** A schema, and those that it refers to. */
export interface KindSchema {
  readonly schema: JsonObject;
  readonly schemas: JsonObject;
}

/** The schema of a kind in a document of OpenAPI v3; undefined when it is not there. Group and version as upstream has them. */
export function schemaOf(
  document: JsonObject,
  gvk: { readonly group: string; readonly version: string; readonly kind: string },
): KindSchema | undefined {
  const schemas = child(child(document, 'components'), 'schemas');
  const found = Object.values(schemas).find(
    (schema) =>
      isObject(schema) &&
      objects(schema, 'x-kubernetes-group-version-kind').some(
        (one) =>
          text(one, 'group') === gvk.group && text(one, 'version') === gvk.version && text(one, 'kind') === gvk.kind,
      ),
  );
  return isObject(found) ? { schema: found, schemas } : undefined;
}

export function mergeSchemaOf({ schema, schemas }: KindSchema): MergeSchema {
  return nodeOf(schema, schemas);
}

const REFERENCE = '#/components/schemas/';

function nodeOf(schema: JsonObject, schemas: JsonObject): MergeSchema {
  const resolved = resolve(schema, schemas);
  const listType = text(resolved, 'x-kubernetes-list-type') || text(schema, 'x-kubernetes-list-type');
  const mapType = text(resolved, 'x-kubernetes-map-type') || text(schema, 'x-kubernetes-map-type');
  const inner = (node: unknown) => (isObject(node as JsonObject) ? nodeOf(node as JsonObject, schemas) : undefined);
  const isList = text(resolved, 'type') === 'array';
  const declared = child(resolved, 'properties');
  const isOpen =
    Object.keys(declared).length === 0 ||
    resolved['additionalProperties'] !== undefined ||
    resolved['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    sort: sortOf(resolved),
    declares: (name) => isOpen || Object.hasOwn(declared, name),
    isAtomic: isList ? listType === '' || listType === 'atomic' : mapType === 'atomic',
    keys: listType === 'map' ? strings(resolved, 'x-kubernetes-list-map-keys') : listType === 'set' ? [] : undefined,
    field: (name) => inner(Object.hasOwn(declared, name) ? declared[name] : resolved['additionalProperties']),
    items: () => inner(resolved['items']),
  };
}

const SORTS: Readonly<Record<string, Sort>> = {
  object: 'map',
  array: 'list',
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
};

function sortOf(schema: JsonObject): Sort | undefined {
  const isEither = text(schema, 'format') === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true;
  return isEither ? undefined : SORTS[text(schema, 'type')];
}

/** A property of a built-in kind is `{allOf: [{$ref}]}`, with its description and default beside it. */
function resolve(schema: JsonObject, schemas: JsonObject): JsonObject {
  const reference = text(schema, '$ref') || text(objects(schema, 'allOf')[0], '$ref');
  if (!reference.startsWith(REFERENCE)) return schema;
  const target = schemas[reference.slice(REFERENCE.length)];
  return isObject(target) ? target : schema;
}
