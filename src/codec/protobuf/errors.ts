/**
 * The one error of the protobuf codec.
 *
 * Whatever a client may send, the codec answers with a value or with this error, so that a caller can turn it into a
 * 400 (`unknown-kind` into what the route asks for) and treat every other error as a fault of the proxy itself.
 */

/**
 * Why the codec refused:
 * - `malformed`: the bytes are no protobuf of this kind, or a value has no JSON form
 * - `too-deep`, `too-large`: the message would cost more than its size allows
 * - `missing-kind`: neither the body nor the route names a kind
 * - `unknown-kind`: the kind is in no built-in API of this Kubernetes version
 * - `invalid-value`: encoding only; the JSON holds a value that the field cannot carry
 */
export type ProtobufErrorCode =
  | 'malformed'
  | 'too-deep'
  | 'too-large'
  | 'missing-kind'
  | 'unknown-kind'
  | 'invalid-value';

/** The message is in terms of the bytes and the Kubernetes types, and safe to show to the sender of the body. */
export class ProtobufError extends Error {
  readonly code: ProtobufErrorCode;

  constructor(code: ProtobufErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'ProtobufError';
    this.code = code;
  }
}
