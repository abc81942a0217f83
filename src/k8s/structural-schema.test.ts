import { expect, it } from 'vitest';
import { completed } from './structural-schema.ts';
import type { JsonObject } from './types.ts';

const schema: JsonObject = {
  type: 'object',
  properties: {
    metadata: { type: 'object', properties: { name: { pattern: 'a' } } },
    spec: {
      type: 'object',
      default: {},
      properties: {
        size: { type: 'integer', default: 3 },
        maybe: { type: 'integer', nullable: true, default: 4 },
        parts: { type: 'array', items: { type: 'object', properties: { name: {}, kind: { default: 'x' } } } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { default: 1 } } },
        pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
        __proto__x: { type: 'string' },
      },
    },
  },
};

it.each<[string, JsonObject, JsonObject]>([
  ['fills in', {}, { spec: { size: 3, maybe: 4 } }],
  ['keeps what is given', { spec: { size: 1, maybe: null } }, { spec: { size: 1, maybe: null } }],
  ['takes a null for nothing', { spec: { size: null } }, { spec: { size: 3, maybe: 4 } }],
  ['drops what is not known', { spec: { depth: 9 }, more: 1 }, { spec: { size: 3, maybe: 4 } }],
  [
    'looks into lists and maps',
    { spec: { parts: [{ name: 'n', odd: 1 }], labels: { a: 'b' } } },
    { spec: { size: 3, maybe: 4, parts: [{ name: 'n', kind: 'x' }], labels: { a: 'b' } } },
  ],
  ['keeps what is free', { spec: { free: { b: 2 } } }, { spec: { size: 3, maybe: 4, free: { b: 2, a: 1 } } }],
  [
    'keeps the type of an object within',
    { spec: { pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {}, odd: 1 } } },
    { spec: { size: 3, maybe: 4, pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} } } },
  ],
  [
    'leaves metadata alone',
    { kind: 'Box', metadata: { name: 'b', odd: 1 } },
    { kind: 'Box', metadata: { name: 'b', odd: 1 }, spec: { size: 3, maybe: 4 } },
  ],
])('%s', (_title, object, expected) => {
  expect(completed(object, schema)).toEqual(expected);
});
