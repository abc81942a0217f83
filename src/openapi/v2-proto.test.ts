import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { encodeOpenApiV2 } from './v2-proto.ts';

type Field = [number: number, value: bigint | Buffer];

/** Fields of one message, in the order in which they were written, without knowing the schema. */
function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) fields.push([tag >> 3, varint()]);
    else {
      const size = wire === 1 ? 8 : Number(varint());
      fields.push([tag >> 3, bytes.subarray(at, at + size)]);
      at += size;
    }
  }
  return fields;
}

/** The value at a path of field numbers; of a field that repeats, the first. */
function at(document: JsonObject, ...path: number[]): bigint | Buffer | undefined {
  let value: bigint | Buffer | undefined = Buffer.from(encodeOpenApiV2(document));
  for (const number of path) {
    value = value instanceof Buffer ? fieldsOf(value).find(([field]) => field === number)?.[1] : undefined;
  }
  return value;
}

function textAt(document: JsonObject, ...path: number[]): string | undefined {
  const value = at(document, ...path);
  return value instanceof Buffer ? value.toString('utf8') : undefined;
}

function withSchema(schema: JsonObject): JsonObject {
  return { swagger: '2.0', definitions: { Thing: schema } };
}

/** Document.definitions, its one NamedSchema, its value. */
const SCHEMA = [9, 1, 2];

describe('encodeOpenApiV2', () => {
  it('writes the fields of a message in the order of their numbers', () => {
    const document = { info: { version: '1', title: 'T' }, swagger: '2.0' };
    expect(fieldsOf(Buffer.from(encodeOpenApiV2(document))).map(([field]) => field)).toEqual([1, 2]);
    expect(textAt(document, 1)).toBe('2.0');
    expect(textAt(document, 2, 1)).toBe('T');
  });

  it('writes names of a map as data, in their order', () => {
    const definitions = { B: { type: 'object' }, A: { type: 'string' } };
    const map = at({ definitions }, 9);
    const names = fieldsOf(map as Buffer).map(([, entry]) => fieldsOf(entry as Buffer)[0]?.[1].toString());
    expect(names).toEqual(['B', 'A']);
  });

  it('writes extensions as YAML text', () => {
    const schema = { 'x-kubernetes-group-version-kind': [{ group: '', kind: 'Thing', version: 'v1' }] };
    const document = withSchema(schema);
    expect(textAt(document, ...SCHEMA, 31, 1)).toBe('x-kubernetes-group-version-kind');
    expect(textAt(document, ...SCHEMA, 31, 2, 2)).toBe('- group: ""\n  kind: Thing\n  version: v1\n');
  });

  it.each([
    { schema: { type: 'object' }, path: [22, 1], is: 'object' },
    { schema: { required: ['a'] }, path: [19], is: 'a' },
    { schema: { items: { $ref: '#/definitions/A' } }, path: [23, 1, 1], is: '#/definitions/A' },
    { schema: { additionalProperties: { format: 'int32' } }, path: [21, 1, 2], is: 'int32' },
    { schema: { properties: { a: { title: 'of a' } } }, path: [25, 1, 2, 3], is: 'of a' },
    { schema: { default: { a: 1 } }, path: [5, 2], is: 'a: 1\n' },
    { schema: { enum: ['x'] }, path: [20, 2], is: 'x\n' },
  ])('writes $schema', ({ schema, path, is }) => {
    expect(textAt(withSchema(schema), ...SCHEMA, ...path)).toBe(is);
  });

  it('leaves out zeros, and what the schema does not know', () => {
    const document = withSchema({ minLength: 0, uniqueItems: false, description: '', constructor: 'x', unknown: 1 });
    expect(at(document, ...SCHEMA)).toEqual(Buffer.alloc(0));
    expect(at(withSchema({ maxLength: 63 }), ...SCHEMA, 11)).toBe(63n);
  });

  it.each([
    { parameter: { in: 'body', name: 'b' }, path: [1, 1, 2], is: 'b' },
    { parameter: { in: 'query', name: 'q', type: 'string' }, path: [1, 2, 3, 4], is: 'q' },
    { parameter: { in: 'path', name: 'p' }, path: [1, 2, 4, 4], is: 'p' },
    { parameter: { $ref: '#/parameters/r' }, path: [2, 1], is: '#/parameters/r' },
  ])('writes the parameter $parameter', ({ parameter, path, is }) => {
    const document = { paths: { '/a': { get: { parameters: [parameter], responses: {} } } } };
    expect(textAt(document, 8, 2, 2, 2, 8, ...path)).toBe(is);
  });

  it('does not change the document', () => {
    const document = withSchema({ required: ['a', 'b'], enum: [1, 2] });
    const before = structuredClone(document);
    encodeOpenApiV2(document);
    expect(document).toEqual(before);
  });
});
