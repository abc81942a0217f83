/**
 * OpenAPI v3 as protobuf, which clients that read much of it prefer.
 *
 * @see k8s.io/kube-openapi pkg/handler3/handler.go (ToV3ProtoBinary)
 */
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { type Chosen, encodeMessage } from './proto.ts';
import { MESSAGES, type MessageName } from './v3-messages.ts';

export const OPENAPI_V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

export function encodeOpenApiV3(document: JsonObject): Uint8Array {
  return encodeMessage({ messages: MESSAGES, chosen }, 'Document', document);
}

const OR_REFERENCE: Readonly<Partial<Record<MessageName, MessageName>>> = {
  ResponseOrReference: 'Response',
  RequestBodyOrReference: 'RequestBody',
  HeaderOrReference: 'Header',
  ParameterOrReference: 'Parameter',
  SchemaOrReference: 'Schema',
  SecuritySchemeOrReference: 'SecurityScheme',
};

/** Messages that only say which of several others they hold. */
function chosen(name: MessageName, value: JsonValue): Chosen<MessageName>[] | undefined {
  const either = OR_REFERENCE[name];
  if (either !== undefined) {
    const isReference = isObject(value) && value['$ref'] !== undefined;
    return [
      isReference
        ? { field: 2, type: { message: 'Reference' }, value }
        : { field: 1, type: { message: either }, value },
    ];
  }
  switch (name) {
    case 'ItemsItem':
      return [{ field: 1, type: { message: 'SchemaOrReference' }, value }];
    case 'AdditionalPropertiesItem':
      return typeof value === 'boolean'
        ? [{ field: 2, type: 'bool', value, always: true }]
        : [{ field: 1, type: { message: 'SchemaOrReference' }, value }];
    case 'DefaultType':
      return defaultOf(value);
    default:
      return undefined;
  }
}

/** Objects and lists have no place in it. */
function defaultOf(value: JsonValue): Chosen<MessageName>[] {
  if (typeof value === 'boolean') return [{ field: 2, type: 'bool', value, always: true }];
  if (typeof value === 'string') return [{ field: 3, type: 'string', value, always: true }];
  return typeof value === 'object' && Number.isNaN(Number(String(value)))
    ? []
    : [{ field: 1, type: 'double', value, always: true }];
}
