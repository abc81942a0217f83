import { describe, expect, it } from 'vitest';
import { parseJson } from '../codec/json.ts';
import type { JsonObject } from '../k8s/types.ts';
import { checkTypes } from './decode.ts';
import type { PatchSchema } from './patch-schema.ts';

const SCHEMA: PatchSchema = {
  type: 'object',
  fields: {
    text: { type: 'string' },
    whole: { type: 'integer', format: 'int32' },
    long: { type: 'integer' },
    share: { type: 'number' },
    on: { type: 'boolean' },
    list: { type: 'array', items: { type: 'object', fields: { text: { type: 'string' } } } },
    map: { type: 'object', values: { type: 'string' } },
    bytes: { type: 'string', format: 'byte' },
    time: { type: 'string', format: 'date-time' },
    open: {},
  },
};
const check = (json: string) => checkTypes(parseJson(json) as JsonObject, SCHEMA);

describe('checkTypes', () => {
  it.each([
    '{}',
    '{"text":"a","whole":-2147483648,"share":1.50,"on":false}',
    '{"text":null,"list":null,"list2":1}',
    '{"long":9007199254740993}',
    '{"list":[{"text":"a"},null,{}],"map":{"a":"b","__proto__":"c"}}',
    '{"bytes":"YWJj","time":"2026-01-01T00:00:00.5+02:00"}',
    '{"bytes":"YW\\nJj"}',
    '{"open":1}',
    '{"open":{"text":1}}',
    '{"__proto__":{"text":1}}',
  ])('takes %s', (json) => {
    expect(() => check(json)).not.toThrow();
  });

  it.each([
    ['{"text":1}', 'number into field text of type string'],
    ['{"text":1.50}', 'number into field text of type string'],
    ['{"whole":"1"}', 'string into field whole of type integer'],
    ['{"whole":1.0}', 'number into field whole of type integer'],
    ['{"whole":2147483648}', 'number into field whole of format int32'],
    ['{"long":1.5}', 'number into field long of type integer'],
    ['{"share":"1"}', 'string into field share of type number'],
    ['{"on":"true"}', 'string into field on of type boolean'],
    ['{"list":{}}', 'object into field list of type array'],
    ['{"list":[{},[]]}', 'array into field list[1] of type object'],
    ['{"list":[{"text":true}]}', 'bool into field list[0].text of type string'],
    ['{"map":{"a":1}}', 'number into field map.a of type string'],
    ['{"map":{"__proto__":1}}', 'number into field map.__proto__ of type string'],
    ['{"bytes":"%"}', 'string into field bytes of format byte'],
    ['{"time":"soon"}', 'string into field time of format date-time'],
  ])('refuses %s', (json, saying) => {
    expect(() => check(json)).toThrow(`json: cannot unmarshal ${saying}`);
  });

  it('says what it was about', () => {
    const object = { apiVersion: 'example.com/v1', kind: 'Thing', text: 1 };
    expect(() => checkTypes(object, SCHEMA)).toThrow(/^Thing in version "v1" cannot be handled as a Thing: /);
  });
});
