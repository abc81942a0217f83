/**
 * The Table of objects that were converted here: the columns of their CRD at the version that was asked for.
 * @see k8s.io/apiextensions-apiserver pkg/registry/customresource/tableconvertor/tableconvertor.go at v0.36
 */
import { stringifyJson } from '../codec/json.ts';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import { text } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { humanDuration } from '../lib/human-duration.ts';
import type { Call } from './call.ts';

const NAME: JsonObject = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
};
/** What a CRD prints that names no column. */
const AGE: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** With whole objects in its rows. @param document the list, or the object, that they are of */
export function tableOf({ accept, at }: Call, document: JsonObject, converted: readonly JsonObject[]): JsonObject {
  const declared = at.conversion?.columns ?? [];
  const columns = declared.length === 0 ? [AGE] : declared;
  const { resourceVersion, continue: token, remainingItemCount } = metadataOf(document);
  const isList = Array.isArray(document['items']);
  return {
    kind: 'Table',
    apiVersion: `${accept.as?.group ?? 'meta.k8s.io'}/${accept.as?.version ?? 'v1'}`,
    metadata: {
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(isList && token !== undefined && token !== '' ? { continue: token } : {}),
      ...(isList && remainingItemCount !== undefined ? { remainingItemCount } : {}),
    },
    columnDefinitions: [NAME, ...columns.map(definitionOf)],
    rows: converted.map((object) => ({
      cells: [nameOf(object), ...columns.map((column) => cellOf(object, column))],
      object,
    })),
  };
}

function definitionOf(column: JsonObject): JsonObject {
  const { priority = 0 } = column;
  const described = `Custom resource definition column (in JSONPath format): ${text(column, 'jsonPath')}`;
  return {
    name: text(column, 'name'),
    type: text(column, 'type'),
    format: text(column, 'format'),
    description: text(column, 'description') || described,
    priority,
  };
}

function cellOf(object: JsonObject, column: JsonObject): JsonValue {
  const value = valueAt(object, text(column, 'jsonPath'));
  if (value === undefined || value === null) return null;
  switch (text(column, 'type')) {
    case 'string':
      return typeof value === 'string' ? value : stringifyJson(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value) : null;
    default:
      return null;
  }
}

function ageOf(time: string): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? '<invalid>' : humanDuration(Date.now() - ms);
}

/** `.spec.size`, `.status.conditions[0]`, `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels['a/b']`. */
const STEP = /\.([\w-]+)|\['([^']*)'\]|\["([^"]*)"\]|\[(\d+)\]|\[\?\(@\.([\w-]+)\s*==\s*["']([^"']*)["']\)\]/y;

/** Undefined for what is not there, and for paths of other forms. */
function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  STEP.lastIndex = 0;
  for (let at = 0; at < path.length; at = STEP.lastIndex) {
    const step = STEP.exec(path);
    if (step === null) return undefined;
    const [, field, quoted, doubleQuoted, index, key, wanted] = step;
    const name = field ?? quoted ?? doubleQuoted;
    if (name !== undefined) {
      value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    } else if (!Array.isArray(value)) return undefined;
    else if (index !== undefined) value = value[Number(index)];
    else value = value.find((item) => isObject(item) && item[key ?? ''] === wanted);
  }
  return value;
}
