/**
 * What the API server makes of a custom object by its structural schema before it looks at it: fields that the schema does
 * not know are dropped, those with a default that are missing are filled in.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/ (pruning, defaulting)
 * @see k8s.io/apiextensions-apiserver pkg/apiserver/schema/pruning/algorithm.go, schema/defaulting/algorithm.go at v0.36
 */
import { child } from './read.ts';
import { isObject, type JsonObject, type JsonValue } from './types.ts';

const META = ['apiVersion', 'kind', 'metadata'] as const;

/** A new object. @param schema `openAPIV3Schema` of a version */
export function completed(object: JsonObject, schema: JsonObject): JsonObject {
  const { apiVersion: _type, kind: _kind, metadata: _metadata, ...properties } = child(schema, 'properties');
  return completedObject(object, { ...schema, properties }, META);
}

function completedValue(value: JsonValue, schema: JsonObject): JsonValue {
  if (Array.isArray(value)) {
    const { items } = schema;
    return isObject(items) ? value.map((item) => completedValue(item, items)) : value;
  }
  if (!isObject(value)) return value;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  return completedObject(value, schema, isEmbedded ? META : []);
}

/** @param always names of fields that stay whatever the schema says */
function completedObject(object: JsonObject, schema: JsonObject, always: readonly string[]): JsonObject {
  const properties = child(schema, 'properties');
  const { additionalProperties } = schema;
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  const made = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(object)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (always.includes(name)) made.set(name, value);
    else if (isObject(property)) {
      // A null that may not be is taken for nothing where there is a default.
      if (value === null && property['default'] !== undefined && property['nullable'] !== true) continue;
      made.set(name, completedValue(value, property));
    } else if (keepsAll) made.set(name, value);
  }
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property) || property['default'] === undefined || made.has(name)) continue;
    made.set(name, completedValue(structuredClone(property['default']), property));
  }
  return Object.fromEntries(made);
}
