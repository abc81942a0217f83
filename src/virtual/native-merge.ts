/**
 * Strategic merge patches on native kinds that the proxy has to apply itself, since what they do depends on what the
 * object holds beside what its tenant sees: `$patch: replace` on metadata, for one. How fields merge is read from the
 * host's OpenAPI v3, where it says it as for virtual kinds.
 *
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/#notes-on-the-strategic-merge-patch
 */
import { child, objects, text } from '../k8s/read.ts';
import { isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import type { NativeMerge } from '../ports.ts';
import type { PatchSchema } from './patch-schema.ts';
import { mergeStrategic } from './strategic-merge.ts';

/** A document of the host's OpenAPI: `tag` is another one for other contents. */
type Documents = (path: string) => Promise<{ readonly tag: string; read(): JsonObject }>;

/** So many kinds are kept; each holds on to the document that it is in. */
const MOST_KEPT = 8;

export function createNativeMerge(documents: Documents): NativeMerge {
  const kept = new Map<string, { readonly tag: string; readonly schema: PatchSchema | undefined }>();
  return async (at) => {
    const path = `/openapi/v3${at.upstreamRoot}`;
    const { tag, read } = await documents(path);
    const key = `${path} ${at.kind.kind}`;
    let known = kept.get(key);
    if (known?.tag !== tag) {
      kept.delete(key);
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value as string);
      known = { tag, schema: patchSchemaIn(read(), at) };
      kept.set(key, known);
    }
    const { schema } = known;
    return schema && ((current, patch) => mergeStrategic(current, patch, schema));
  };
}

/** Of one kind in a document of OpenAPI v3; undefined when it is not there. */
function patchSchemaIn(document: JsonObject, at: KindAtVersion): PatchSchema | undefined {
  const [group, version] = splitApiVersion(at.upstreamApiVersion);
  const schemas = child(child(document, 'components'), 'schemas');
  const found = Object.values(schemas).find(
    (schema) =>
      isObject(schema) &&
      objects(schema, 'x-kubernetes-group-version-kind').some(
        (one) => text(one, 'group') === group && text(one, 'version') === version && text(one, 'kind') === at.kind.kind,
      ),
  );
  return isObject(found) ? schemaOf(found, schemas) : undefined;
}

const REFERENCE = '#/components/schemas/';

/** Schemas hold themselves (JSONSchemaProps does), so what is below is made when it is asked for. */
function schemaOf(given: JsonObject, schemas: JsonObject): PatchSchema {
  const strategy = text(given, 'x-kubernetes-patch-strategy');
  const mergeKey = text(given, 'x-kubernetes-patch-merge-key');
  const schema: PatchSchema = { ...(strategy !== '' && { strategy }), ...(mergeKey !== '' && { mergeKey }) };
  const { properties, items } = resolve(given, schemas);
  const below = (inner: unknown) => schemaOf(isObject(inner as JsonObject) ? (inner as JsonObject) : {}, schemas);
  if (isObject(properties)) {
    lazily(schema, 'fields', () =>
      Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, below(property)])),
    );
  }
  if (items !== undefined) lazily(schema, 'items', () => below(items));
  return schema;
}

function lazily<Key extends 'fields' | 'items'>(
  schema: PatchSchema,
  key: Key,
  make: () => NonNullable<PatchSchema[Key]>,
): void {
  let made: PatchSchema[Key];
  Object.defineProperty(schema, key, {
    get: () => {
      made ??= make();
      return made;
    },
  });
}

/** A property of a built-in kind is `{allOf: [{$ref}]}`, with what is said of the field beside it. */
function resolve(schema: JsonObject, schemas: JsonObject): JsonObject {
  const reference = text(schema, '$ref') || text(objects(schema, 'allOf')[0], '$ref');
  if (!reference.startsWith(REFERENCE)) return schema;
  const target = schemas[reference.slice(REFERENCE.length)];
  return isObject(target) ? target : schema;
}
