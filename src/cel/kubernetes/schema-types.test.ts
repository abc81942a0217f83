import { describe, expect, it } from 'vitest';
import { expressionProblem } from '../compile.ts';
import { formatType } from '../types.ts';
import { admissionEnvironment } from './admission.ts';
import { type SchemaNode, schemaTypes } from './schema-types.ts';

const text = { type: 'string' };
const SCHEMAS: SchemaNode = {
  Spec: {
    type: 'object',
    properties: {
      replicas: { type: 'integer', format: 'int32' },
      weight: { type: 'number' },
      paused: { type: 'boolean' },
      since: { type: 'string', format: 'date-time' },
      data: { type: 'string', format: 'byte' },
      port: { oneOf: [text, { type: 'integer' }], format: 'int-or-string' },
      either: { 'x-kubernetes-int-or-string': true },
      amount: { oneOf: [text, { type: 'number' }] },
      labels: { type: 'object', additionalProperties: text },
      containers: { type: 'array', items: { allOf: [{ $ref: '#/components/schemas/Container' }], default: {} } },
      anything: {},
      'a-b': text,
      namespace: text,
      x__y: text,
      $ref: text,
      inner: { $ref: '#/components/schemas/Spec' },
    },
  },
  Container: { type: 'object', properties: { name: text } },
};
const ROOT: SchemaNode = { type: 'object', properties: { spec: { $ref: '#/components/schemas/Spec' } } };

function typeOf(expression: string): string {
  const object = schemaTypes('Thing', ROOT, SCHEMAS);
  if (object === undefined) throw new Error('no types');
  const found = expressionProblem(expression, admissionEnvironment({ object }));
  return 'type' in found ? formatType(found.type) : (found.problem.split('\n')[0] ?? '');
}

describe('the type of a field', () => {
  it.each([
    ['object.spec.replicas', 'int'],
    ['object.spec.weight', 'double'],
    ['object.spec.paused', 'bool'],
    ['object.spec.since', 'timestamp'],
    ['object.spec.data', 'bytes'],
    ['object.spec.port', 'dyn'],
    ['object.spec.either', 'dyn'],
    ['object.spec.labels', 'map(string, string)'],
    ['object.spec.containers[0].name', 'string'],
    ['object.spec.containers.map(c, c.name)', 'list(string)'],
    [
      'object.spec.a__dash__b + object.spec.__namespace__ + object.spec.namespace + object.spec.x__underscores__y',
      'string',
    ],
    ['object.kind + object.apiVersion + object.metadata.name', 'string'],
    ['oldObject.spec.replicas', 'int'],
    ['object.spec', 'Thing.spec'],
    ['object.spec.containers', 'list(Thing.spec.containers.@idx)'],
  ])('%s is %s', (expression, type) => {
    expect(typeOf(expression)).toBe(type);
  });

  it.each([
    ['object.spec.replica', "ERROR: <input>:1:12: undefined field 'replica'"],
    ['object.spec.amount', "ERROR: <input>:1:12: undefined field 'amount'"],
    ['object.spec.anything', "ERROR: <input>:1:12: undefined field 'anything'"],
    ['object.spec.containers[0].image', "ERROR: <input>:1:26: undefined field 'image'"],
    ['object.metadata.labels', "ERROR: <input>:1:16: undefined field 'labels'"],
    ['object.spec.inner.replicas', "ERROR: <input>:1:18: undefined field 'replicas'"],
    [
      "object.spec.replicas > 'a'",
      "ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'",
    ],
  ])('%s is none', (expression, problem) => {
    expect(typeOf(expression)).toBe(problem);
  });

  it('is not known of what is no object', () => {
    expect(schemaTypes('Thing', { type: 'string' }, {})).toBeUndefined();
    expect(schemaTypes('Thing', {}, {})).toBeUndefined();
  });
});
