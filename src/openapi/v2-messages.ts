/**
 * The messages of OpenAPI v2 in protobuf, as data: for each field of the JSON form its number and type, in the order of
 * the numbers. What Kubernetes does not publish (OAuth, contact, licence, files) is not here and is left out.
 *
 * @see github.com/google/gnostic-models openapiv2/OpenAPIv2.proto at v0.7
 */

import type { FieldType as FieldTypeOf, Message as MessageOf } from './proto.ts';

export type MessageName =
  | 'Document'
  | 'Info'
  | 'Paths'
  | 'PathItem'
  | 'Operation'
  | 'Responses'
  | 'Response'
  | 'Reference'
  | 'Schema'
  | 'ExternalDocs'
  | 'BodyParameter'
  | 'header'
  | 'formData'
  | 'query'
  | 'path'
  | 'PrimitivesItems'
  | 'ApiKeySecurity'
  | 'Items'
  | 'Type'
  | 'AdditionalProperties'
  | 'ParametersItem'
  | 'Parameter'
  | 'NonBodyParameter'
  | 'ResponseValue'
  | 'SchemaItem'
  | 'SecurityDefinition';

type FieldType = FieldTypeOf<MessageName>;
type Message = MessageOf<MessageName>;

const schema = { message: 'Schema' } as const;
const strings = 'string[]';

/** The fields that say how a simple value looks, from `first` on. */
function simple(first: number): Message['fields'] {
  const types: ReadonlyArray<readonly [string, FieldType]> = [
    ['type', 'string'],
    ['format', 'string'],
    ['items', { message: 'PrimitivesItems' }],
    ['collectionFormat', 'string'],
    ['default', 'any'],
    ['maximum', 'double'],
    ['exclusiveMaximum', 'bool'],
    ['minimum', 'double'],
    ['exclusiveMinimum', 'bool'],
    ['maxLength', 'int'],
    ['minLength', 'int'],
    ['pattern', 'string'],
    ['maxItems', 'int'],
    ['minItems', 'int'],
    ['uniqueItems', 'bool'],
    ['enum', 'any[]'],
    ['multipleOf', 'double'],
  ];
  return Object.fromEntries(types.map(([name, type], at) => [name, [first + at, type]]));
}

/** A parameter outside of the body. Two of the four kinds have one field more in the middle. */
function parameter(allowsEmpty: boolean): Message {
  const first = allowsEmpty ? 6 : 5;
  return {
    fields: {
      required: [1, 'bool'],
      in: [2, 'string'],
      description: [3, 'string'],
      name: [4, 'string'],
      ...(allowsEmpty ? { allowEmptyValue: [5, 'bool'] as const } : {}),
      ...simple(first),
    },
    extensions: first + 17,
  };
}

/** Messages that are written field by field; those that choose among others are in `v2-proto.ts`. */
export const MESSAGES: Readonly<Partial<Record<MessageName, Message>>> = {
  Document: {
    fields: {
      swagger: [1, 'string'],
      info: [2, { message: 'Info' }],
      host: [3, 'string'],
      basePath: [4, 'string'],
      schemes: [5, strings],
      consumes: [6, strings],
      produces: [7, strings],
      paths: [8, { message: 'Paths' }],
      definitions: [9, { map: 'Schema' }],
      parameters: [10, { map: 'Parameter' }],
      security: [12, { map: strings }],
      securityDefinitions: [13, { map: 'SecurityDefinition' }],
    },
    extensions: 16,
  },
  Info: {
    fields: { title: [1, 'string'], version: [2, 'string'], description: [3, 'string'] },
    extensions: 7,
  },
  Paths: { fields: {}, extensions: 1, others: [2, 'PathItem'] },
  PathItem: {
    fields: {
      $ref: [1, 'string'],
      get: [2, { message: 'Operation' }],
      put: [3, { message: 'Operation' }],
      post: [4, { message: 'Operation' }],
      delete: [5, { message: 'Operation' }],
      options: [6, { message: 'Operation' }],
      head: [7, { message: 'Operation' }],
      patch: [8, { message: 'Operation' }],
      parameters: [9, { message: 'ParametersItem', list: true }],
    },
    extensions: 10,
  },
  Operation: {
    fields: {
      tags: [1, strings],
      summary: [2, 'string'],
      description: [3, 'string'],
      externalDocs: [4, { message: 'ExternalDocs' }],
      operationId: [5, 'string'],
      produces: [6, strings],
      consumes: [7, strings],
      parameters: [8, { message: 'ParametersItem', list: true }],
      responses: [9, { message: 'Responses' }],
      schemes: [10, strings],
      deprecated: [11, 'bool'],
    },
    extensions: 13,
  },
  Responses: { fields: {}, others: [1, 'ResponseValue'], extensions: 2 },
  Response: { fields: { description: [1, 'string'], schema: [2, { message: 'SchemaItem' }] }, extensions: 5 },
  Reference: { fields: { $ref: [1, 'string'], description: [2, 'string'] } },
  Schema: {
    fields: {
      $ref: [1, 'string'],
      format: [2, 'string'],
      title: [3, 'string'],
      description: [4, 'string'],
      default: [5, 'any'],
      multipleOf: [6, 'double'],
      maximum: [7, 'double'],
      exclusiveMaximum: [8, 'bool'],
      minimum: [9, 'double'],
      exclusiveMinimum: [10, 'bool'],
      maxLength: [11, 'int'],
      minLength: [12, 'int'],
      pattern: [13, 'string'],
      maxItems: [14, 'int'],
      minItems: [15, 'int'],
      uniqueItems: [16, 'bool'],
      maxProperties: [17, 'int'],
      minProperties: [18, 'int'],
      required: [19, strings],
      enum: [20, 'any[]'],
      additionalProperties: [21, { message: 'AdditionalProperties' }],
      type: [22, { message: 'Type' }],
      items: [23, { message: 'Items' }],
      allOf: [24, { message: 'Schema', list: true }],
      properties: [25, { map: 'Schema' }],
      discriminator: [26, 'string'],
      readOnly: [27, 'bool'],
      externalDocs: [29, { message: 'ExternalDocs' }],
      example: [30, 'any'],
    },
    extensions: 31,
  },
  ExternalDocs: { fields: { description: [1, 'string'], url: [2, 'string'] }, extensions: 3 },
  BodyParameter: {
    fields: {
      description: [1, 'string'],
      name: [2, 'string'],
      in: [3, 'string'],
      required: [4, 'bool'],
      schema: [5, schema],
    },
    extensions: 6,
  },
  header: parameter(false),
  formData: parameter(true),
  query: parameter(true),
  path: parameter(false),
  PrimitivesItems: { fields: simple(1), extensions: 18 },
  ApiKeySecurity: {
    fields: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'] },
    extensions: 5,
  },
};
