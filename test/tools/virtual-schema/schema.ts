/**
 * A kind's OpenAPI v3 schema, as kube-apiserver publishes it, made fit for a CustomResourceDefinition.
 *
 * References are put in their place; a default of `{}` or `""` (which is Go's zero value, not a default) goes; keys of
 * keyed lists become required, and nothing else is, as Go reads what is left out as empty; a list mark on what is no list goes. Only keywords that are known here are kept, and an
 * unknown one is an error, so that a new Kubernetes version cannot lose meaning silently. Unknown fields are preserved
 * nowhere. Descriptions are left out: the API server would hold them in memory, and tenants read the native kind's.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
import { isObject, type JsonObject, type JsonValue } from '../../../src/k8s/types.ts';

const KEPT = new Set([
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'nullable',
  'pattern',
  'type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
]);
/** Said elsewhere, or without meaning for a custom resource. */
const LEFT_OUT = new Set([
  'description',
  'required',
  'x-kubernetes-group-version-kind',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-unions',
]);
/** Handled one by one below. */
const HANDLED = new Set(['$ref', 'additionalProperties', 'allOf', 'default', 'items', 'oneOf', 'properties']);

/** The schemas of one OpenAPI v3 document. @throws {Error} when it has none. */
export function schemasOf(document: JsonObject): JsonObject {
  const components = document['components'];
  if (!isObject(components) || !isObject(components['schemas'])) throw new Error('the OpenAPI document has no schemas');
  return components['schemas'];
}

/** The schema of a kind, by the mark that kube-apiserver puts on it. @throws {Error} when there is none. */
export function schemaOfKind(document: JsonObject, group: string, version: string, kind: string): JsonObject {
  for (const schema of Object.values(schemasOf(document))) {
    if (!isObject(schema)) continue;
    const marks = schema['x-kubernetes-group-version-kind'];
    const marked = Array.isArray(marks) && marks.length === 1 ? marks[0] : undefined;
    if (isObject(marked) && marked['group'] === group && marked['version'] === version && marked['kind'] === kind) {
      return schema;
    }
  }
  throw new Error(`the OpenAPI document has no ${kind} of ${group}/${version}`);
}

/** A schema with every `$ref`, alone or in an `allOf` of one, put in its place. @throws {Error} on a cycle. */
export function inlined(schema: JsonObject, schemas: JsonObject, trail: readonly string[] = []): JsonObject {
  const { $ref, allOf, ...own } = schema;
  const only = Array.isArray(allOf) ? allOf : [];
  if (only.length > 1) throw new Error(`allOf with ${only.length} parts is not understood, at ${trail.join(' > ')}`);
  const base = only[0];
  if (isObject(base)) return { ...inlined(base, schemas, trail), ...inlined(own, schemas, trail) };
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/components/schemas/', '');
    const target = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (!isObject(target)) throw new Error(`${$ref} names nothing`);
    if (trail.includes(name)) throw new Error(`schema ${name} contains itself: ${trail.join(' > ')}`);
    return { ...inlined(target, schemas, [...trail, name]), ...inlined(own, schemas, trail) };
  }
  const out: JsonObject = { ...own };
  for (const keyword of ['items', 'additionalProperties']) {
    const inner = out[keyword];
    if (isObject(inner)) out[keyword] = inlined(inner, schemas, trail);
  }
  if (isObject(out['properties'])) {
    out['properties'] = mapValues(out['properties'], (property) => inlined(property, schemas, trail));
  }
  return out;
}

/** An inlined schema as a structural one. @throws {Error} on a keyword that is not known. */
export function structural(schema: JsonObject, path = ''): JsonObject {
  const out: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (KEPT.has(keyword)) out[keyword] = value;
    else if (!LEFT_OUT.has(keyword) && !HANDLED.has(keyword)) {
      throw new Error(`OpenAPI keyword ${keyword} at ${path || 'the root'} is not known: decide what becomes of it`);
    }
  }
  if (schema['format'] === 'int-or-string' || Array.isArray(schema['oneOf'])) {
    const { type: _type, format: _format, ...rest } = out;
    return { ...rest, 'x-kubernetes-int-or-string': true };
  }
  if (!isZero(schema['default'])) out['default'] = schema['default'] as JsonValue;
  if (schema['type'] !== 'array') {
    delete out['x-kubernetes-list-type'];
    delete out['x-kubernetes-list-map-keys'];
  }
  if (isObject(schema['additionalProperties'])) {
    out['additionalProperties'] = structural(schema['additionalProperties'], `${path}{}`);
  }
  if (isObject(schema['properties'])) {
    out['properties'] = mapValues(schema['properties'], (property, name) => structural(property, `${path}.${name}`));
  }
  if (isObject(schema['items'])) out['items'] = withRequired(structural(schema['items'], `${path}[]`), mapKeys(schema));
  return out;
}

/** Keys of a keyed list must be there, or have a default. */
function withRequired(items: JsonObject, keys: readonly string[]): JsonObject {
  const properties = isObject(items['properties']) ? items['properties'] : {};
  const needed = keys.filter((key) => !isObject(properties[key]) || properties[key]['default'] === undefined);
  if (needed.length === 0) return items;
  return { ...items, required: needed };
}

function mapKeys(schema: JsonObject): string[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}

function isZero(value: JsonValue | undefined): boolean {
  return value === undefined || value === '' || (isObject(value) && Object.keys(value).length === 0);
}

function mapValues(map: JsonObject, change: (value: JsonObject, key: string) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => {
      if (!isObject(value)) throw new Error(`the schema of ${key} is not an object`);
      return [key, change(value, key)];
    }),
  );
}
