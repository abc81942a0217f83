/**
 * An `AdmissionReview` as the host's API server sends it, and as it is answered.
 * @see k8s.io/api admission/v1 types.go at v0.36
 */
import { JsonSyntaxError, parseJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { child } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

const API_VERSION = 'admission.k8s.io/v1';

/** `request` of a review. @throws {ApiError} ERR_BAD_REQUEST for anything else than a review */
export function requestIn(body: Uint8Array): JsonObject {
  const document = read(body);
  if (!isObject(document) || document['apiVersion'] !== API_VERSION || document['kind'] !== 'AdmissionReview') {
    throw notSuch(`expected an AdmissionReview of ${API_VERSION}`);
  }
  return child(document, 'request');
}

function read(body: Uint8Array): JsonValue {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw notSuch(error.message);
    throw error;
  }
}

/** How a review ends. */
export type Outcome =
  | { readonly allowed: true; readonly patch: readonly JsonObject[] }
  /** With a `Status` in the tenant's terms: it comes back to the tenant in Events. */
  | { readonly allowed: false; readonly status: JsonObject };

export function answerTo({ uid }: { readonly uid: string }, outcome: Outcome): JsonObject {
  const response = outcome.allowed
    ? { uid, allowed: true, ...patchOf(outcome.patch) }
    : { uid, allowed: false, status: outcome.status };
  return { apiVersion: API_VERSION, kind: 'AdmissionReview', response };
}

function patchOf(operations: readonly JsonObject[]): JsonObject {
  if (operations.length === 0) return {};
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

export function notSuch(message: string): ApiError {
  return new ApiError('ERR_BAD_REQUEST', message, { why: 'no-review' });
}
