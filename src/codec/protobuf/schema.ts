/**
 * The table of Kubernetes' protobuf messages, linked into objects that the decoder and the encoder walk.
 *
 * The data is generated from the Go types (test/protobuf/generator) and trusted; a file of another generator version is
 * refused. A kind that is not in the table is unknown: there is no default.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
import type { Gvk } from '../../k8s/types.ts';
import { apiVersionOf } from '../../k8s/types.ts';
import table from './schema.generated.json' with { type: 'json' };

/** Codes of the value kinds, in the order of the generator's list. */
export const Kind = {
  string: 0,
  bytes: 1,
  bool: 2,
  int32: 3,
  int64: 4,
  double: 5,
  message: 6,
  quantity: 7,
  time: 8,
  microTime: 9,
  intOrString: 10,
  rawExtension: 11,
  rawJson: 12,
  schemaOrBool: 13,
  schemaOrArray: 14,
  schemaOrStringArray: 15,
  stringList: 16,
  duration: 17,
} as const;

export type FieldKind = (typeof Kind)[keyof typeof Kind];

export interface Field {
  readonly number: number;
  readonly name: string;
  readonly kind: FieldKind;
  /** A zero scalar or an empty collection is left out of the JSON. */
  readonly omitEmpty: boolean;
  /** A zero time is left out of the JSON; omitEmpty alone prints it as null. */
  readonly omitZero: boolean;
  readonly pointer: boolean;
  /** A message of its own on the wire whose fields stand in the parent's JSON. */
  readonly inline: boolean;
  readonly repeated: boolean;
  readonly map: boolean;
  /** The message of kinds `message` and `schemaOr*`. */
  readonly message: Message | undefined;
}

export interface Message {
  /** Go package and type, for error texts: `api/core/v1.PodSpec`. */
  readonly name: string;
  /** Its JSON may carry `kind` and `apiVersion`, which exist on the wire only in the envelope. */
  readonly typeMeta: boolean;
  /** In ascending order of their numbers. */
  readonly fields: readonly Field[];
  /** Index = field number. */
  readonly byNumber: readonly (Field | undefined)[];
  /** Fields that the JSON shows even when the wire does not have them. */
  readonly always: readonly Field[];
}

interface SchemaFile {
  kinds: string[];
  roots: Record<string, Record<string, number>>;
  messages: (string | number)[][];
}

/** Kinds of the meta package (Status, DeleteOptions, ...): valid under every groupVersion. */
const ANY_GROUP_VERSION = '*';

const OMIT_EMPTY = 1;
const OMIT_ZERO = 2;
const POINTER = 4;
const INLINE = 8;
const REPEATED = 16;
const MAP = 32;

let roots: Map<string, Message> | undefined;

/** The message of a kind, or undefined when no built-in API has it with a protobuf form. */
export function findMessage(gvk: Gvk): Message | undefined {
  const all = loadSchema();
  return all.get(`${apiVersionOf(gvk.group, gvk.version)} ${gvk.kind}`) ?? all.get(`${ANY_GROUP_VERSION} ${gvk.kind}`);
}

/** Takes tens of milliseconds, once: a server does it before it serves, and not while all wait for one. */
export function loadSchema(): ReadonlyMap<string, Message> {
  roots ??= link(table as unknown as SchemaFile);
  return roots;
}

interface OpenMessage extends Message {
  fields: Field[];
  byNumber: (Field | undefined)[];
  always: Field[];
}

function link(file: SchemaFile): Map<string, Message> {
  if (file.kinds.join() !== Object.keys(Kind).join()) {
    throw new Error('schema.generated.json is of another generator: run test/protobuf/generator again');
  }
  const messages = file.messages.map(
    (row): OpenMessage => ({ name: String(row[0]), typeMeta: row[1] === 1, fields: [], byNumber: [], always: [] }),
  );
  for (const [i, row] of file.messages.entries()) {
    const message = at(messages, i);
    for (let j = 2; j < row.length; j += 5) {
      const field = readField(row.slice(j, j + 5), messages);
      message.fields.push(field);
      message.byNumber[field.number] = field;
      if (isAlwaysShown(field)) {
        message.always.push(field);
      }
    }
  }
  const linked = new Map<string, Message>();
  for (const [groupVersion, kinds] of Object.entries(file.roots)) {
    for (const [kind, index] of Object.entries(kinds)) {
      linked.set(`${groupVersion} ${kind}`, at(messages, index));
    }
  }
  return linked;
}

function readField(row: readonly (string | number)[], messages: readonly OpenMessage[]): Field {
  const [number, name, kind, flags, index] = row as [number, string, FieldKind, number, number];
  if (name in Object.prototype) {
    throw new Error(`schema.generated.json: the field name ${name} cannot be a key of a plain object`);
  }
  return {
    number,
    name,
    kind,
    omitEmpty: (flags & OMIT_EMPTY) !== 0,
    omitZero: (flags & OMIT_ZERO) !== 0,
    pointer: (flags & POINTER) !== 0,
    inline: (flags & INLINE) !== 0,
    repeated: (flags & REPEATED) !== 0,
    map: (flags & MAP) !== 0,
    message: index < 0 ? undefined : at(messages, index),
  };
}

/**
 * Go prints a field without omitempty always. omitempty knows no empty struct, so a struct that is not behind a pointer
 * is printed whatever its tag says (`status: {}`), unless omitzero drops it.
 */
function isAlwaysShown(field: Field): boolean {
  if (field.inline) {
    return true;
  }
  const isStruct = field.kind >= Kind.message && field.kind !== Kind.stringList;
  if (isStruct && !field.pointer && !field.repeated && !field.map) {
    return !field.omitZero;
  }
  return !field.omitEmpty;
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) {
    throw new Error(`schema.generated.json: no message ${index}`);
  }
  return item;
}
