/**
 * JSON inside protobuf: RawExtension, FieldsV1 and the JSON of a CRD schema. No digit is lost, also of integers beyond
 * 2^53. Refuses bytes that are not JSON, not UTF-8, or nested too deep.
 *
 * @see k8s.io/apimachinery pkg/runtime/extension.go at v0.36
 */
import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../../k8s/types.ts';
import { JsonSyntaxError, parseJson } from '../json.ts';
import { ProtobufError } from './errors.ts';

/** A number with exactly these digits, for values that a JavaScript number cannot hold. */
export function rawNumber(digits: string): JsonValue {
  return parseJson(digits);
}

/**
 * The value of embedded JSON.
 *
 * @throws ProtobufError `malformed`
 */
export function parseRawJson(bytes: Buffer): JsonValue {
  if (!isUtf8(bytes)) {
    throw new ProtobufError('malformed', 'embedded JSON is not valid UTF-8');
  }
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw error instanceof JsonSyntaxError ? refused(error) : error;
  }
}

function refused(error: JsonSyntaxError): ProtobufError {
  return new ProtobufError('malformed', `embedded JSON: ${error.message}`, { cause: error });
}
