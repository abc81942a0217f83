import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../k8s/types.ts';
import { misfit } from './misfit.ts';
import { mergeSchemaOf } from './schema.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    flag: { type: 'boolean' },
    port: { format: 'int-or-string', type: 'string' },
    amount: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    list: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    open: { type: 'object' },
    more: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const schema = mergeSchemaOf({ schema: SCHEMA, schemas: {} });

describe('a mutation', () => {
  it.each<[JsonValue]>([
    [{ text: 'a', count: 1, flag: true, port: 80, amount: '1Gi', labels: { a: 'b' }, list: [{ name: 'x' }] }],
    [{ port: 'http', amount: 2, open: { any: { thing: [1] } }, more: { a: 'b', c: 1 }, text: null }],
  ])('fits', (wanted) => {
    expect(misfit(wanted, schema)).toBeUndefined();
  });

  it.each<[JsonValue, string]>([
    [{ nope: 1 }, '.nope: field not declared in schema'],
    [{ list: [{ name: 'a' }, { nam: 'b' }] }, '.list[1].nam: field not declared in schema'],
    [{ labels: 'x' }, '.labels: expected map, got &{x}'],
    [{ list: 'x' }, '.list: expected list, got &{x}'],
    [{ count: '1' }, '.count: expected numeric (int or float), got string'],
    [{ labels: { a: 1 } }, '.labels.a: expected string, got &value.valueUnstructured{Value:1}'],
    [{ flag: 'yes' }, '.flag: expected boolean, got &{yes}'],
    [{ a: 1, b: 2 }, 'errors:\n  .a: field not declared in schema\n  .b: field not declared in schema'],
  ])('does not fit: %j', (wanted, said) => {
    expect(misfit(wanted, schema)).toBe(said);
  });
});
