/**
 * What strategic merge patch must know of a kind's fields, cut out of its OpenAPI schema.
 *
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/#notes-on-the-strategic-merge-patch
 */
import { isObject, type JsonObject } from '../../../src/k8s/types.ts';
import { inlined } from './schema.ts';

/** The patch schema (`PatchSchema` of src/virtual) of an OpenAPI schema. */
export function patchSchema(schema: JsonObject, schemas: JsonObject): JsonObject {
  return cut(inlined(schema, schemas));
}

function cut(schema: JsonObject): JsonObject {
  const out: JsonObject = {};
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
