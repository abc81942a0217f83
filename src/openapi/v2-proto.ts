/**
 * OpenAPI v2 as protobuf, the only form in which kubectl asks for it: to check what it sends (lists above all) and to
 * find merge keys. Members that the schema does not know are left out, as the API server's own encoder does.
 *
 * @see k8s.io/kube-openapi pkg/handler/handler.go (ToProtoBinary)
 */
import { Writer } from '../codec/protobuf/writer.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { type FieldType, MESSAGES, type Message, type MessageName } from './v2-messages.ts';

export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Wire types. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

const PLACES = new Map<string, readonly [field: number, message: MessageName]>([
  ['header', [1, 'header']],
  ['formData', [2, 'formData']],
  ['query', [3, 'query']],
  ['path', [4, 'path']],
]);

export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  const writer = new Writer();
  writeMessage(writer, 'Document', document);
  return writer.take();
}

/** The writer goes from the end to the front, so everything here is written last first. */
function writeMessage(writer: Writer, name: MessageName, value: JsonValue): void {
  const choice = chosen(name, value);
  if (choice !== undefined) {
    for (const one of [...choice].reverse()) writeField(writer, one.field, one.type, one.value);
    return;
  }
  const message = MESSAGES[name];
  if (message === undefined || !isObject(value)) return;
  const known = new Map(Object.entries(value).filter(([key]) => Object.hasOwn(message.fields, key)));
  const rest = Object.entries(value).filter(([key]) => !known.has(key));
  for (const part of [...partsOf(message, known, rest)].sort((a, b) => b.field - a.field)) part.write(writer);
}

interface Part {
  readonly field: number;
  write(writer: Writer): void;
}

function* partsOf(
  message: Message,
  known: ReadonlyMap<string, JsonValue>,
  rest: ReadonlyArray<readonly [string, JsonValue]>,
): Iterable<Part> {
  const { extensions, others } = message;
  for (const [key, value] of known) {
    const [field, type] = message.fields[key] as readonly [number, FieldType];
    yield { field, write: (writer) => writeField(writer, field, type, value) };
  }
  // Sorting is stable, so members of one field must come last first as well.
  for (const [key, value] of [...rest].reverse()) {
    if (key.startsWith('x-')) {
      if (extensions !== undefined)
        yield { field: extensions, write: (writer) => writeNamed(writer, extensions, key, 'any', value) };
    } else if (others !== undefined) {
      const [field, type] = others;
      yield { field, write: (writer) => writeNamed(writer, field, key, { message: type }, value) };
    }
  }
}

interface Chosen {
  readonly field: number;
  readonly type: FieldType;
  readonly value: JsonValue;
}

/** Messages that only say which of several others they hold. */
function chosen(name: MessageName, value: JsonValue): Chosen[] | undefined {
  const one = (field: number, message: MessageName, of = value): Chosen[] => [{ field, type: { message }, value: of }];
  const isReference = isObject(value) && value['$ref'] !== undefined;
  switch (name) {
    case 'SchemaItem':
      return one(1, 'Schema');
    case 'Items':
      return [value].flat().map((item) => ({ field: 1, type: { message: 'Schema' }, value: item }));
    case 'Type':
      return [{ field: 1, type: 'string[]', value: [value].flat() }];
    case 'AdditionalProperties':
      return typeof value === 'boolean' ? [{ field: 2, type: 'bool', value }] : one(1, 'Schema');
    case 'ResponseValue':
      return isReference ? one(2, 'Reference') : one(1, 'Response');
    case 'SecurityDefinition':
      return isObject(value) && value['type'] === 'apiKey' ? one(2, 'ApiKeySecurity') : [];
    case 'ParametersItem':
      return isReference ? one(2, 'Reference') : one(1, 'Parameter');
    case 'Parameter':
      return isObject(value) && value['in'] === 'body' ? one(1, 'BodyParameter') : one(2, 'NonBodyParameter');
    case 'NonBodyParameter': {
      const place = PLACES.get(isObject(value) ? String(value['in']) : '');
      return place === undefined ? [] : one(...place);
    }
    default:
      return undefined;
  }
}

function writeField(writer: Writer, field: number, type: FieldType, value: JsonValue): void {
  if (value === null) return;
  if (type === 'string[]' || type === 'any[]') {
    const of = type === 'string[]' ? 'string' : 'any';
    for (const item of (Array.isArray(value) ? [...value] : []).reverse()) writeOne(writer, field, of, item);
  } else if (typeof type === 'object' && 'list' in type) {
    for (const item of (Array.isArray(value) ? [...value] : []).reverse()) {
      writeOne(writer, field, { message: type.message }, item);
    }
  } else if (typeof type === 'object' && 'map' in type) {
    writeMaps(writer, field, type.map, value);
  } else if (!isDefault(value)) writeOne(writer, field, type, value);
}

/** Proto3 writes no zeros. */
function isDefault(value: JsonValue): boolean {
  return value === false || value === 0 || value === '';
}

type One = Exclude<FieldType, 'string[]' | 'any[]' | { readonly map: unknown }>;

function writeOne(writer: Writer, field: number, type: One, value: JsonValue): void {
  const before = writer.length;
  if (type === 'string') {
    writer.string(String(value));
    writer.varint((field << 3) | BYTES);
  } else if (type === 'bool' || type === 'int') {
    writer.integer(Number(value));
    writer.varint((field << 3) | VARINT);
  } else if (type === 'double') {
    writer.double(Number(value));
    writer.varint((field << 3) | FIXED64);
  } else {
    // Free JSON travels as YAML text, and JSON is YAML.
    if (type === 'any') writeOne(writer, 2, 'string', `${JSON.stringify(value)}\n`);
    else writeMessage(writer, type.message, value);
    writer.close((field << 3) | BYTES, before);
  }
}

/** A name and a value, as one entry of a map. */
function writeNamed(writer: Writer, field: number, name: string, type: FieldType, value: JsonValue): void {
  const before = writer.length;
  if (type === 'string[]') {
    const list = writer.length;
    writeField(writer, 1, 'string[]', value);
    writer.close((2 << 3) | BYTES, list);
  } else writeOne(writer, 2, type as One, value);
  writeOne(writer, 1, 'string', name);
  writer.close((field << 3) | BYTES, before);
}

/** An object of names, or a list of such objects, each in a message of its own. */
function writeMaps(writer: Writer, field: number, type: MessageName | 'string[]', value: JsonValue): void {
  for (const map of [value].flat().reverse()) {
    if (!isObject(map)) continue;
    const before = writer.length;
    for (const [name, item] of Object.entries(map).reverse()) {
      writeNamed(writer, 1, name, type === 'string[]' ? type : { message: type }, item);
    }
    writer.close((field << 3) | BYTES, before);
  }
}
