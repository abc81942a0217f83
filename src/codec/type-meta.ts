/**
 * What a body says of its own type, read before anything else of it, and refused in kube-apiserver's words. A built-in
 * kind need not say what it is; a custom resource must.
 *
 * @see k8s.io/apimachinery pkg/runtime/serializer/json/meta.go and k8s.io/apiserver pkg/endpoints/handlers/rest.go
 *   (transformDecodeError, summarizeData) at v0.36
 */
import { ApiError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

/** How much of a body a refusal repeats. */
const SUMMARY_BYTES = 30;
const REPEATED_CHARS = 1_000;
const META = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/**
 * The body as an object whose `kind` and `apiVersion`, where it has any, are texts.
 * @param kind that the route expects
 * @param mustSay whether the body must name its kind
 * @throws {ApiError} ERR_BAD_REQUEST
 */
export function readTypeMeta(document: JsonValue, bytes: Uint8Array, kind: string, mustSay: boolean): JsonObject {
  const refuse = (why: string): ApiError => unrecognized(kind, why, bytes);
  const object = document ?? {};
  if (!isObject(object))
    throw refuse(`${VERSION_KIND}json: cannot unmarshal ${goType(object)} into Go value of type ${META}`);
  for (const field of ['kind', 'apiVersion']) {
    const value = object[field] ?? '';
    if (typeof value === 'string') continue;
    throw refuse(
      `${VERSION_KIND}json: cannot unmarshal ${goType(value)} into Go struct field .${field} of type string`,
    );
  }
  const apiVersion = String(object['apiVersion'] ?? '');
  if (apiVersion.split('/').length > 2) throw refuse(`unexpected GroupVersion string: ${apiVersion}`);
  if (mustSay && (object['kind'] ?? '') === '') {
    const text = Buffer.from(bytes).toString('utf8').slice(0, REPEATED_CHARS);
    throw refuse(`Object 'Kind' is missing in '${text}'`);
  }
  return object;
}

/** Where a text that is no JSON fails first. */
export const VERSION_KIND = "couldn't get version/kind; json parse error: ";

/** 400 for a body of which not even the type can be told. */
export function unrecognized(kind: string, why: string, bytes: Uint8Array, cause?: unknown): ApiError {
  const message = `the object provided is unrecognized (must be of type ${kind}): ${why} (${summaryOf(bytes)})`;
  return new ApiError('ERR_BAD_REQUEST', message, { why: 'malformed-body', cause });
}

/** What JSON calls the type of a value. */
export function goType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  // Numbers that are kept as text are objects to JavaScript.
  return typeof value === 'string' ? 'string' : isObject(value) ? 'object' : 'number';
}

function summaryOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const start = Buffer.from(bytes.subarray(0, SUMMARY_BYTES));
  const text = start.toString(start[0] === 0x7b ? 'utf8' : 'hex');
  return bytes.length > SUMMARY_BYTES ? `${text} ...` : text;
}
