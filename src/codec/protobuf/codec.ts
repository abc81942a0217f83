/**
 * The Kubernetes protobuf encoding (`application/vnd.kubernetes.protobuf`) for built-in kinds: the public entry.
 *
 * Objects come out as the JSON that the API server would show and go in as JSON; bytes made here equal those of a Go
 * server. Custom resources have no protobuf form. Unknown fields are never dropped in silence: decoding counts and names
 * them, encoding gives up, so that the caller can refuse or fall back to JSON.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
import { apiVersionOf, type Gvk, type JsonObject, type JsonValue, splitApiVersion } from '../../k8s/types.ts';
import { decodeMessage } from './decode.ts';
import { DecodeState } from './decode-state.ts';
import { Encoder } from './encode.ts';
import { openEnvelope, writeEnvelope } from './envelope.ts';
import { ProtobufError } from './errors.ts';
import { findMessage } from './schema.ts';
import { Writer } from './writer.ts';

export interface DecodedObject {
  apiVersion: string;
  kind: string;
  /** With `kind` and `apiVersion` in it, as in JSON. Integers beyond 2^53 are raw JSON numbers. */
  object: JsonObject;
  /** How many fields this version of the schema does not have. Not 0: the object is not all that was sent. */
  unknownFields: number;
  /** The first few of them, such as `api/core/v1.PodSpec field 99`. */
  unknownNames: readonly string[];
}

/** Whether the kind (lists, Status and the option kinds included) can be sent and received as protobuf. */
export function hasProtobuf(gvk: Gvk): boolean {
  return findMessage(gvk) !== undefined;
}

/**
 * Decodes an enveloped object or list.
 *
 * `fallbackGvk` is the route's kind, which counts where the body does not name one, as in the API server. The body's own
 * kind wins: check `apiVersion` and `kind` of the result. The members of a list carry neither, as in the API server's JSON.
 *
 * @throws ProtobufError for anything that is not such an object; the message may be shown to the sender
 */
export function decodeObject(bytes: Uint8Array, fallbackGvk?: Gvk): DecodedObject {
  const state = new DecodeState(bytes.length);
  const decoded = decodeEnveloped(bytes, state, fallbackGvk);
  return { ...decoded, unknownFields: state.unknownFields, unknownNames: state.unknownNames };
}

/**
 * Encodes an object or list with its envelope. Undefined when it has no faithful protobuf form: the kind is not in the
 * schema, or the object has a field that the schema does not have. Send JSON then, or 406 when the client refuses that.
 *
 * @throws ProtobufError `invalid-value` when a value is not of its field's type, or the object is of another kind
 */
export function encodeObject(object: JsonObject, gvk: Gvk): Uint8Array | undefined {
  const encoding = beginEncoding(object, gvk);
  if (encoding === undefined) return undefined;
  const { message, encoder, apiVersion } = encoding;
  writeEnvelope(scratch, apiVersion, gvk.kind, () => encoder.message(message, object));
  return encoder.unknownKeys.length > 0 ? undefined : scratch.take();
}

/** The same without an envelope: as it stands in a list, or to be put into one by `parts.ts`. */
export function encodeBare(object: JsonObject, gvk: Gvk): Uint8Array | undefined {
  const encoding = beginEncoding(object, gvk);
  if (encoding === undefined) return undefined;
  encoding.encoder.message(encoding.message, object);
  return encoding.encoder.unknownKeys.length > 0 ? undefined : scratch.take();
}

function beginEncoding(object: JsonObject, gvk: Gvk) {
  const message = findMessage(gvk);
  if (message === undefined) return undefined;
  const apiVersion = apiVersionOf(gvk.group, gvk.version);
  if (message.typeMeta) {
    checkOwnName('kind', object['kind'], gvk.kind);
    checkOwnName('apiVersion', object['apiVersion'], apiVersion);
  }
  scratch.reset();
  return { message, encoder: new Encoder(scratch), apiVersion };
}

/** The envelope names the kind; what the object says of itself would be lost, so it must be the same. */
function checkOwnName(key: string, own: JsonValue | undefined, wanted: string): void {
  if (own !== undefined && own !== '' && own !== wanted) {
    throw new ProtobufError(
      'invalid-value',
      `an object of ${key} ${JSON.stringify(own)} cannot be encoded as ${wanted}`,
    );
  }
}

/** Encoding is synchronous, so that one buffer serves all. */
const scratch = new Writer();

function decodeEnveloped(
  bytes: Uint8Array,
  state: DecodeState,
  fallbackGvk: Gvk | undefined,
): Pick<DecodedObject, 'apiVersion' | 'kind' | 'object'> {
  const envelope = openEnvelope(bytes);
  const gvk = resolveKind(envelope.apiVersion, envelope.kind, fallbackGvk);
  const message = findMessage(gvk);
  const apiVersion = apiVersionOf(gvk.group, gvk.version);
  if (message === undefined) {
    throw new ProtobufError(
      'unknown-kind',
      `no kind ${JSON.stringify(gvk.kind)} in version ${JSON.stringify(apiVersion)} has a protobuf form: send JSON`,
    );
  }
  const object: JsonObject = message.typeMeta ? { kind: gvk.kind, apiVersion } : {};
  decodeMessage(message, envelope.raw, object, state, decodeNested);
  // The wire cannot tell an empty list from none; the API server's JSON always has the array.
  if (object['items'] === null && gvk.kind.endsWith('List')) {
    object['items'] = [];
  }
  return { apiVersion, kind: gvk.kind, object };
}

function decodeNested(bytes: Buffer, state: DecodeState): JsonObject {
  return decodeEnveloped(bytes, state, undefined).object;
}

/** The body's kind and version, each from the route where the body has none. */
function resolveKind(apiVersion: string, bodyKind: string, fallback: Gvk | undefined): Gvk {
  const kind = bodyKind === '' ? (fallback?.kind ?? '') : bodyKind;
  const [bodyGroup, bodyVersion] = splitApiVersion(apiVersion);
  const useRoute = bodyVersion === '' && fallback !== undefined;
  const group = useRoute ? fallback.group : bodyGroup;
  const version = useRoute ? fallback.version : bodyVersion;
  if (kind === '') {
    throw new ProtobufError('missing-kind', "Object 'Kind' is missing in the protobuf body");
  }
  if (version === '') {
    throw new ProtobufError('missing-kind', "Object 'apiVersion' is missing in the protobuf body");
  }
  return { group, version, kind };
}
