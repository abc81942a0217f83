/**
 * What mutations make: `Object{spec: Object.spec{replicas: 1}}` and `JSONPatch{op: "add", path: "/x", value: 1}`.
 * @see k8s.io/apiserver pkg/cel/mutation/typeresolver.go, dynamic/objects.go, jsonpatch.go at v0.36
 */
import type { StructType, StructTypes } from '../environment.ts';
import { isEqual } from '../equality.ts';
import { EvaluationError } from '../evaluation-error.ts';
import { DYN, STRING, structOf, type Type } from '../types.ts';
import { ListValue, MapValue, Opaque, type Value } from '../values.ts';

const OBJECT = 'Object';
const JSON_PATCH = 'JSONPatch';

/** A struct with the fields that it was made with. */
export class StructValue extends Opaque {
  override readonly isStruct = true;
  readonly typeName: string;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.typeName = typeName;
    this.fields = fields;
  }

  override field(name: string): Value | undefined {
    return this.fields.get(name);
  }

  override equals(other: Opaque): boolean {
    if (!(other instanceof StructValue) || other.fields.size !== this.fields.size) return false;
    return [...this.fields].every(([name, value]) => {
      const theirs = other.fields.get(name);
      return theirs !== undefined && isEqual(value, theirs);
    });
  }
}

export const OBJECT_TYPE = structOf(OBJECT);
export const JSON_PATCH_TYPE = structOf(JSON_PATCH);

const PATCH_FIELDS: ReadonlyMap<string, Type> = new Map([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);

const PATCH: StructType = {
  type: JSON_PATCH_TYPE,
  field: (name) => PATCH_FIELDS.get(name),
  create: (fields) => new StructValue(JSON_PATCH, fields),
};

/** Any struct whose name begins with `Object`, with any fields: the schema is not known here. */
export const PATCH_STRUCTS: StructTypes = (name) => {
  if (name === JSON_PATCH) return PATCH;
  if (name !== OBJECT && !name.startsWith(`${OBJECT}.`)) return undefined;
  return { type: structOf(name), field: () => DYN, create: (fields) => new StructValue(name, fields) };
};

/**
 * Structs are named by their place below the object.
 * @throws {EvaluationError}
 */
export function checkStructNames(value: Value, place = OBJECT): void {
  if (value instanceof StructValue) {
    if (value.typeName !== place) {
      throw new EvaluationError(
        `unexpected type name "${value.typeName}", expected "${place}", which matches field name path from root Object type`,
      );
    }
    for (const [name, inner] of value.fields) checkStructNames(inner, `${place}.${name}`);
  }
  if (value instanceof ListValue) for (const item of value.items) checkStructNames(item, place);
  if (value instanceof MapValue) for (const key of value.keys()) checkStructNames(value.get(key) as Value, place);
}
