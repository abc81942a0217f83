/**
 * Request body -> document, by Content-Type and verb. Upstream is always sent JSON, so what comes out for a whole object
 * says `application/json` however it came; a patch keeps its type, which says how it is applied.
 *
 * Refuses with kube-apiserver's words: 415 for a type that the verb does not take, 400 for what does not parse.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/negotiation/negotiate.go and patch.go at v0.36
 */

import { ApiError } from '../errors.ts';
import type { RepeatedKey } from '../k8s/repeated-key.ts';
import { type Gvk, isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import { JsonSyntaxError, parseJson } from './json.ts';
import { refuseManyMoves } from './patch-moves.ts';
import { decodeObject } from './protobuf/codec.ts';
import { ProtobufError } from './protobuf/errors.ts';
import { findRepeatedKeys } from './repeated-keys.ts';
import { goType, readTypeMeta, unrecognized, VERSION_KIND } from './type-meta.ts';
import type { YamlDocument } from './yaml-read.ts';

export interface BodyContext {
  /** As in RequestInfo. */
  readonly verb: string;
  /** Of the body, by the route; a protobuf body may leave it out. */
  readonly gvk: Gvk;
  /** A custom resource: no protobuf, no strategic merge patch. */
  readonly custom: boolean;
  /** The body is a custom resource itself, not one of a subresource's kind: it must name its kind. */
  readonly namesKind?: boolean;
  /** Reads YAML that is not JSON. @throws {JsonSyntaxError} and whatever refuses to read it now */
  readonly readYaml: (text: string) => Promise<YamlDocument>;
}

export interface DecodedBody {
  readonly contentType: string;
  readonly document: JsonObject | JsonObject[];
  /** Keys that stood more than once, of which `document` has the last. */
  readonly repeated: readonly RepeatedKey[];
}

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
  'application/strategic-merge-patch+json',
];
const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const DELETE_OPTIONS: Gvk = { group: '', version: 'v1', kind: 'DeleteOptions' };
/** kube-apiserver's: each operation may cost a copy of the object. */
const MAX_PATCH_OPERATIONS = 10_000;
/** The API server refuses more than one controller, and quotes all owners once for each. */
const MAX_OWNER_OPERATIONS = 64;
/** Of items in one list, of all lists together: about half a second of the API server. */
const MAX_MERGED_PAIRS = 1_000_000;
const MEDIA_TYPE = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;|$)/;

/**
 * Undefined for a DELETE without a body.
 * @param contentType header as sent; nothing means JSON, but for a patch
 * @throws {ApiError} ERR_UNSUPPORTED_MEDIA_TYPE, ERR_BAD_REQUEST, ERR_TOO_LARGE (operations of a JSON patch),
 *   and what `readYaml` throws
 */
export async function decodeBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  context: BodyContext,
): Promise<DecodedBody | undefined> {
  if (context.verb === 'patch') return await decodePatch(bytes, contentType, context);
  const isDelete = context.verb === 'delete' || context.verb === 'deletecollection';
  if (isDelete && bytes.length === 0) return undefined;
  // DeleteOptions and the like have a protobuf form, whatever kind they are sent about.
  const types = context.custom && !isDelete ? OBJECT_TYPES.slice(0, 2) : OBJECT_TYPES;
  const type = contentType === undefined || contentType === '' ? 'application/json' : mediaType(contentType);
  if (type === undefined || !types.includes(type)) throw unsupported(types);
  if (isDelete) {
    const refuse = (why: string, cause?: unknown): ApiError => bad(why, cause);
    const read = await decode(bytes, type, { ...context, gvk: DELETE_OPTIONS }, refuse);
    const document = read.document ?? {};
    if (!isObject(document))
      throw bad(`json: cannot unmarshal ${goType(document)} into Go value of type v1.DeleteOptions`);
    return { contentType: 'application/json', document, repeated: [] };
  }
  const { kind } = context.gvk;
  const refuse = (why: string, cause?: unknown): ApiError => unrecognized(kind, why, bytes, cause);
  const { document, repeated } = await decode(bytes, type, context, refuse);
  const object = readTypeMeta(document, bytes, kind, context.namesKind ?? false);
  return { contentType: 'application/json', document: object, repeated };
}

async function decode(
  bytes: Uint8Array,
  type: string,
  context: BodyContext,
  refuse: (why: string, cause?: unknown) => ApiError,
): Promise<YamlDocument> {
  try {
    if (type === PROTOBUF) return { document: fromProtobuf(bytes, context.gvk), repeated: [] };
    return type === 'application/yaml' ? await fromYaml(bytes, context) : fromJson(bytes);
  } catch (error) {
    if (error instanceof ProtobufError) throw refuse(error.message, error);
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw refuse(`${type === 'application/json' ? VERSION_KIND : ''}${error.message}`, error);
  }
}

/** A field that the schema does not know would be lost on the way; better that the sender learns of it. */
function fromProtobuf(bytes: Uint8Array, gvk: Gvk): JsonObject {
  const { object, unknownFields, unknownNames } = decodeObject(bytes, gvk);
  if (unknownFields > 0) {
    throw new ProtobufError('invalid-value', `this server does not know ${unknownNames.join(', ')}: send JSON`);
  }
  return object;
}

/** Most YAML on the wire is JSON (kubectl's server-side apply sends nothing else), and JSON is cheap to read. */
async function fromYaml(bytes: Uint8Array, { readYaml }: BodyContext): Promise<YamlDocument> {
  try {
    return fromJson(bytes);
  } catch {
    return await readYaml(utf8(bytes));
  }
}

function fromJson(bytes: Uint8Array): YamlDocument {
  const text = utf8(bytes);
  const document = parseJson(text);
  return { document, repeated: findRepeatedKeys(text, document) };
}

async function decodePatch(
  bytes: Uint8Array,
  contentType: string | undefined,
  context: BodyContext,
): Promise<DecodedBody> {
  const type = contentType === undefined ? undefined : mediaType(contentType);
  if (type === undefined || !PATCH_TYPES.includes(type)) {
    throw new ApiError('ERR_UNSUPPORTED_MEDIA_TYPE', '415: Unsupported Media Type', { details: {} });
  }
  if (context.custom && type === STRATEGIC) throw unsupported(PATCH_TYPES.filter((each) => each !== STRATEGIC));
  let read: YamlDocument;
  try {
    read = type === APPLY ? await fromYaml(bytes, context) : fromJson(bytes);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw bad(`error decoding patch: ${error.message}`, error);
    throw error;
  }
  const { document, repeated } = read;
  if (type === JSON_PATCH) return { contentType: type, document: operations(document), repeated };
  if (!isObject(document)) throw bad('error decoding patch: the patch must be an object');
  if (type === STRATEGIC) refuseLongLists(document);
  return { contentType: type, document, repeated };
}

/**
 * The API server compares the items of each list in a strategic merge patch with each other, and goes on when its client is
 * gone: one list of 60,000 holds up one of its cores for minutes.
 */
function refuseLongLists(document: JsonObject): void {
  let pairs = 0;
  const count = (value: JsonValue): void => {
    if (Array.isArray(value)) pairs += value.length ** 2;
    const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    for (const part of parts) count(part);
  };
  count(document);
  if (pairs <= MAX_MERGED_PAIRS) return;
  throw new ApiError(
    'ERR_TOO_LARGE',
    `Request entity too large: lists in a strategic merge patch may have ${Math.sqrt(MAX_MERGED_PAIRS)} items; use a merge patch for longer ones`,
  );
}

function operations(document: JsonValue): JsonObject[] {
  // As Go reads null into a list.
  if (document === null) return [];
  if (!Array.isArray(document) || !document.every(isObject)) {
    throw bad('error decoding patch: a JSON patch must be an array of operations');
  }
  if (document.length > MAX_PATCH_OPERATIONS) {
    throw new ApiError(
      'ERR_TOO_LARGE',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_PATCH_OPERATIONS}, got ${document.length}`,
    );
  }
  refuseManyMoves(document);
  const ofOwners = document.filter(({ path, from }) =>
    [path, from].some((one) => String(one).includes('/ownerReferences')),
  );
  if (ofOwners.length > MAX_OWNER_OPERATIONS) {
    throw new ApiError(
      'ERR_TOO_LARGE',
      `Request entity too large: a JSON patch may touch metadata.ownerReferences ${MAX_OWNER_OPERATIONS} times, got ${ofOwners.length}; replace the list as a whole`,
    );
  }
  return document;
}

function mediaType(header: string): string | undefined {
  return MEDIA_TYPE.exec(header)?.[1]?.toLowerCase();
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new JsonSyntaxError('the document is not valid UTF-8', { cause });
  }
}

function unsupported(types: readonly string[]): ApiError {
  return new ApiError(
    'ERR_UNSUPPORTED_MEDIA_TYPE',
    `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`,
  );
}

function bad(message: string, cause?: unknown): ApiError {
  return new ApiError('ERR_BAD_REQUEST', message, { why: 'malformed-body', cause });
}
