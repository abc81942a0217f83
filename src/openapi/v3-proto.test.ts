import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { encodeOpenApiV3 } from './v3-proto.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** A message in hexadecimal, by its tag and the fields that it holds. */
function message(tag: string, ...fields: string[]): string {
  const held = fields.join('');
  return tag + hex(Uint8Array.of(held.length / 2)) + held;
}

function text(value: string, tag = ''): string {
  return message(tag, hex(Buffer.from(value)));
}

/** Document.components, its schemas, one of the name `T`. */
function inSchema(fields: string): string {
  return message('2a', message('0a', message('0a', text('T', '0a'), message('12', message('0a', fields)))));
}

describe('encodeOpenApiV3', () => {
  it.each<[schema: JsonObject, fields: string]>([
    [{ type: 'object' }, 'ca01066f626a656374'],
    [{ nullable: true, title: 'a' }, '08014a0161'],
    [{ maxLength: 63, minLength: 0 }, '783f'],
    [{ enum: ['x'] }, 'c201041202780a'],
    [{ items: { type: 'a' } }, 'f201080a060a04ca010161'],
    [{ items: { $ref: 'r' } }, 'f201070a0512030a0172'],
    [{ properties: { a: {} } }, 'fa01090a070a016112020a00'],
    [{ additionalProperties: false }, '8202021000'],
    [{ additionalProperties: { type: 'a' } }, '8202080a060a04ca010161'],
    [{ default: '' }, '8a02021a00'],
    [{ default: 0 }, '8a0209090000000000000000'],
    [{ default: false }, '8a02021000'],
    // Objects have no place in a default of this version.
    [{ default: {} }, '8a0200'],
    [
      { 'x-a': [{ b: 1, a: 2 }] },
      `a202${message('', text('x-a', '0a'), message('12', text('- b: 1\n  a: 2\n', '12')))}`,
    ],
    [{ unknown: 1, constructor: 'x' }, ''],
  ])('writes %j', (value, fields) => {
    expect(hex(encodeOpenApiV3({ components: { schemas: { T: value } } }))).toBe(inSchema(fields));
  });

  it('writes names of paths and answers as data', () => {
    const responses = { '200': { description: 'OK' } };
    const answer = message('12', text('200', '0a'), message('12', message('0a', text('OK', '0a'))));
    const operation = message('22', message('42', answer));
    const paths = message('22', message('0a', text('/a', '0a'), message('12', operation)));
    expect(hex(encodeOpenApiV3({ paths: { '/a': { get: { responses } } } }))).toBe(paths);
  });
});
