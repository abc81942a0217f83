/**
 * What Go's JSON shows for fields that are not on the wire, and leaves out although they are.
 *
 * @see https://pkg.go.dev/encoding/json#Marshal on omitempty and omitzero
 */
import type { JsonObject, JsonValue } from '../../k8s/types.ts';
import type { DecodeState } from './decode-state.ts';
import { type Field, Kind, type Message } from './schema.ts';

/** Sets the fields of `into` that Go prints always and the wire did not have. */
export function fillDefaults(message: Message, into: JsonObject, state: DecodeState): void {
  for (const field of message.always) {
    if (field.inline) {
      fillDefaults(field.message as Message, into, state);
    } else if (into[field.name] === undefined) {
      into[field.name] = field.pointer || field.repeated || field.map ? null : zeroValue(field, state);
    }
  }
}

/** The value of a map entry that has none: Go makes empty slices there, not nil ones. */
export function mapZeroValue(field: Field, state: DecodeState): JsonValue {
  if (field.kind === Kind.bytes) {
    return '';
  }
  return field.kind === Kind.stringList ? [] : zeroValue(field, state);
}

/** omitempty of a value that is on the wire: zero scalars and empty slices; a pointer to a zero value is shown. */
export function isLeftOut(field: Field, value: JsonValue): boolean {
  if (field.omitZero) {
    return value === null;
  }
  if (!field.omitEmpty || field.pointer) {
    return false;
  }
  if (field.kind === Kind.stringList) {
    return (value as string[]).length === 0;
  }
  return field.kind < Kind.message && (value === '' || value === 0 || value === false);
}

function zeroValue(field: Field, state: DecodeState): JsonValue {
  switch (field.kind) {
    case Kind.string:
      return '';
    case Kind.bool:
    case Kind.schemaOrBool:
      return false;
    case Kind.int32:
    case Kind.int64:
    case Kind.double:
    case Kind.intOrString:
      return 0;
    case Kind.quantity:
      return '0';
    case Kind.duration:
      return '0s';
    case Kind.message: {
      state.spend();
      const value: JsonObject = {};
      fillDefaults(field.message as Message, value, state);
      return value;
    }
    default:
      return null;
  }
}
