/**
 * What the proxy must know of a virtual kind's fields, cut out of its OpenAPI schema.
 *
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/#notes-on-the-strategic-merge-patch
 */
import { isObject, type JsonObject } from '../../../src/k8s/types.ts';
import { inlined } from './schema.ts';

/** The patch schema (`PatchSchema` of src/virtual) of an OpenAPI schema. */
export function patchSchema(schema: JsonObject, schemas: JsonObject): JsonObject {
  return cut(inlined(schema, schemas));
}

const FORMATS = new Set<unknown>(['int32', 'byte', 'date-time']);

function cut(schema: JsonObject): JsonObject {
  const out: JsonObject = {};
  const { type, format, additionalProperties } = schema;
  const isOpen = format === 'int-or-string' || schema['oneOf'] !== undefined;
  if (typeof type === 'string' && !isOpen) out['type'] = type;
  if (FORMATS.has(format)) out['format'] = format as string;
  if (isObject(additionalProperties)) out['values'] = cut(additionalProperties);
  const properties = schema['properties'];
  if (isObject(properties)) {
    out['fields'] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, isObject(property) ? cut(property) : {}]),
    );
  }
  if (schema['type'] === 'array') out['items'] = isObject(schema['items']) ? cut(schema['items']) : {};
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (strategy !== undefined) out['strategy'] = strategy;
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  if (mergeKey !== undefined) out['mergeKey'] = mergeKey;
  return out;
}
