/**
 * The messages of OpenAPI v3 in protobuf, as data: for each field of the JSON form its number and type. What Kubernetes does
 * not publish (callbacks, links, servers, examples, XML) is not here and is left out.
 *
 * @see github.com/google/gnostic-models openapiv3/OpenAPIv3.proto at v0.7
 */
import type { Message as MessageOf } from './proto.ts';

export type MessageName =
  | 'Document'
  | 'Info'
  | 'Paths'
  | 'PathItem'
  | 'Operation'
  | 'Components'
  | 'Responses'
  | 'Response'
  | 'ResponseOrReference'
  | 'RequestBody'
  | 'RequestBodyOrReference'
  | 'Header'
  | 'HeaderOrReference'
  | 'Parameter'
  | 'ParameterOrReference'
  | 'MediaType'
  | 'Reference'
  | 'Schema'
  | 'SchemaOrReference'
  | 'ItemsItem'
  | 'AdditionalPropertiesItem'
  | 'DefaultType'
  | 'Discriminator'
  | 'ExternalDocs'
  | 'SecurityScheme'
  | 'SecuritySchemeOrReference';

type Message = MessageOf<MessageName>;

const strings = 'string[]';
const schema = { message: 'SchemaOrReference' } as const;
const schemas = { message: 'SchemaOrReference', list: true } as const;
const operation = { message: 'Operation' } as const;
const parameters = { message: 'ParameterOrReference', list: true } as const;
const content = { map: 'MediaType' } as const;

/** Messages that are written field by field; those that choose among others are in `v3-proto.ts`. */
export const MESSAGES: Readonly<Partial<Record<MessageName, Message>>> = {
  Document: {
    fields: {
      openapi: [1, 'string'],
      info: [2, { message: 'Info' }],
      paths: [4, { message: 'Paths' }],
      components: [5, { message: 'Components' }],
      security: [6, { map: strings }],
      externalDocs: [8, { message: 'ExternalDocs' }],
    },
    extensions: 9,
  },
  Info: {
    fields: {
      title: [1, 'string'],
      description: [2, 'string'],
      termsOfService: [3, 'string'],
      version: [6, 'string'],
      summary: [8, 'string'],
    },
    extensions: 7,
  },
  Paths: { fields: {}, others: [1, 'PathItem'], extensions: 2 },
  PathItem: {
    fields: {
      $ref: [1, 'string'],
      summary: [2, 'string'],
      description: [3, 'string'],
      get: [4, operation],
      put: [5, operation],
      post: [6, operation],
      delete: [7, operation],
      options: [8, operation],
      head: [9, operation],
      patch: [10, operation],
      trace: [11, operation],
      parameters: [13, parameters],
    },
    extensions: 14,
  },
  Operation: {
    fields: {
      tags: [1, strings],
      summary: [2, 'string'],
      description: [3, 'string'],
      externalDocs: [4, { message: 'ExternalDocs' }],
      operationId: [5, 'string'],
      parameters: [6, parameters],
      requestBody: [7, { message: 'RequestBodyOrReference' }],
      responses: [8, { message: 'Responses' }],
      deprecated: [10, 'bool'],
      security: [11, { map: strings }],
    },
    extensions: 13,
  },
  Components: {
    fields: {
      schemas: [1, { map: 'SchemaOrReference' }],
      responses: [2, { map: 'ResponseOrReference' }],
      parameters: [3, { map: 'ParameterOrReference' }],
      requestBodies: [5, { map: 'RequestBodyOrReference' }],
      headers: [6, { map: 'HeaderOrReference' }],
      securitySchemes: [7, { map: 'SecuritySchemeOrReference' }],
    },
    extensions: 10,
  },
  Responses: {
    fields: { default: [1, { message: 'ResponseOrReference' }] },
    others: [2, 'ResponseOrReference'],
    extensions: 3,
  },
  Response: {
    fields: { description: [1, 'string'], headers: [2, { map: 'HeaderOrReference' }], content: [3, content] },
    extensions: 5,
  },
  RequestBody: {
    fields: { description: [1, 'string'], content: [2, content], required: [3, 'bool'] },
    extensions: 4,
  },
  Header: {
    fields: {
      description: [1, 'string'],
      required: [2, 'bool'],
      deprecated: [3, 'bool'],
      allowEmptyValue: [4, 'bool'],
      style: [5, 'string'],
      explode: [6, 'bool'],
      allowReserved: [7, 'bool'],
      schema: [8, schema],
      example: [9, 'any'],
      content: [11, content],
    },
    extensions: 12,
  },
  Parameter: {
    fields: {
      name: [1, 'string'],
      in: [2, 'string'],
      description: [3, 'string'],
      required: [4, 'bool'],
      deprecated: [5, 'bool'],
      allowEmptyValue: [6, 'bool'],
      style: [7, 'string'],
      explode: [8, 'bool'],
      allowReserved: [9, 'bool'],
      schema: [10, schema],
      example: [11, 'any'],
      content: [13, content],
    },
    extensions: 14,
  },
  MediaType: { fields: { schema: [1, schema], example: [2, 'any'] }, extensions: 5 },
  Reference: { fields: { $ref: [1, 'string'], summary: [2, 'string'], description: [3, 'string'] } },
  Schema: {
    fields: {
      nullable: [1, 'bool'],
      discriminator: [2, { message: 'Discriminator' }],
      readOnly: [3, 'bool'],
      writeOnly: [4, 'bool'],
      externalDocs: [6, { message: 'ExternalDocs' }],
      example: [7, 'any'],
      deprecated: [8, 'bool'],
      title: [9, 'string'],
      multipleOf: [10, 'double'],
      maximum: [11, 'double'],
      exclusiveMaximum: [12, 'bool'],
      minimum: [13, 'double'],
      exclusiveMinimum: [14, 'bool'],
      maxLength: [15, 'int'],
      minLength: [16, 'int'],
      pattern: [17, 'string'],
      maxItems: [18, 'int'],
      minItems: [19, 'int'],
      uniqueItems: [20, 'bool'],
      maxProperties: [21, 'int'],
      minProperties: [22, 'int'],
      required: [23, strings],
      enum: [24, 'any[]'],
      type: [25, 'string'],
      allOf: [26, schemas],
      oneOf: [27, schemas],
      anyOf: [28, schemas],
      not: [29, { message: 'Schema' }],
      items: [30, { message: 'ItemsItem' }],
      properties: [31, { map: 'SchemaOrReference' }],
      additionalProperties: [32, { message: 'AdditionalPropertiesItem' }],
      default: [33, { message: 'DefaultType' }],
      description: [34, 'string'],
      format: [35, 'string'],
    },
    extensions: 36,
  },
  Discriminator: { fields: { propertyName: [1, 'string'] }, extensions: 3 },
  ExternalDocs: { fields: { description: [1, 'string'], url: [2, 'string'] }, extensions: 3 },
  SecurityScheme: {
    fields: {
      type: [1, 'string'],
      description: [2, 'string'],
      name: [3, 'string'],
      in: [4, 'string'],
      scheme: [5, 'string'],
      bearerFormat: [6, 'string'],
      openIdConnectUrl: [8, 'string'],
    },
    extensions: 9,
  },
};
