/**
 * OpenAPI v2 as protobuf, the only form in which kubectl asks for it: to check what it sends (lists above all) and to
 * find merge keys.
 *
 * @see k8s.io/kube-openapi pkg/handler/handler.go (ToProtoBinary)
 */
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { type Chosen, encodeMessage } from './proto.ts';
import { MESSAGES, type MessageName } from './v2-messages.ts';

export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const PLACES = new Map<string, readonly [field: number, message: MessageName]>([
  ['header', [1, 'header']],
  ['formData', [2, 'formData']],
  ['query', [3, 'query']],
  ['path', [4, 'path']],
]);

export function encodeOpenApiV2(document: JsonObject): Uint8Array {
  return encodeMessage({ messages: MESSAGES, chosen }, 'Document', document);
}

/** Messages that only say which of several others they hold. */
function chosen(name: MessageName, value: JsonValue): Chosen<MessageName>[] | undefined {
  const one = (field: number, message: MessageName, of = value): Chosen<MessageName>[] => [
    { field, type: { message }, value: of },
  ];
  const isReference = isObject(value) && value['$ref'] !== undefined;
  switch (name) {
    case 'SchemaItem':
      return one(1, 'Schema');
    case 'Items':
      return [value].flat().map((item) => ({ field: 1, type: { message: 'Schema' }, value: item }));
    case 'Type':
      return [{ field: 1, type: 'string[]', value: [value].flat() }];
    case 'AdditionalProperties':
      return typeof value === 'boolean' ? [{ field: 2, type: 'bool', value, always: true }] : one(1, 'Schema');
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
