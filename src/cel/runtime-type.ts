/** Of what type a value is while an expression runs, and whether it is of one that an overload wants. */
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  structOf,
  TIMESTAMP,
  TYPE,
  type Type,
  UINT,
} from './types.ts';
import { Duration, Instant, ListValue, MapValue, Opaque, Optional, TypeValue, Uint, type Value } from './values.ts';

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);
const OPTIONAL = optionalOf(DYN);

/** Containers hold dyn: what is in them is not looked at. */
export function runtimeType(value: Value): Type {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
  }
  if (value === null) return NULL;
  if (value instanceof ListValue) return LIST;
  if (value instanceof MapValue) return MAP;
  if (value instanceof Uint) return UINT;
  if (value instanceof Optional) return OPTIONAL;
  if (value instanceof Instant) return TIMESTAMP;
  if (value instanceof Duration) return DURATION;
  if (value instanceof TypeValue) return TYPE;
  if (value instanceof Opaque) return structOf(value.typeName);
  return BYTES;
}

/** Does the value fit where an overload declares this type? */
export function fits(value: Value, { kind, name }: Type): boolean {
  if (kind === 'dyn' || kind === 'param') return true;
  const type = runtimeType(value);
  if (type.kind !== kind) return false;
  return (kind !== 'opaque' && kind !== 'struct') || type.name === name;
}
