/**
 * What the host's API server asks, and what it is answered: an `AdmissionReview` in upstream terms about an object that
 * one of its controllers is making. Only creations of whole objects in namespaces are asked about.
 * @see k8s.io/api admission/v1 types.go at v0.36
 */
import { JsonSyntaxError, parseJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { child, strings, text } from '../k8s/read.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';

const API_VERSION = 'admission.k8s.io/v1';

export interface HostReview {
  readonly uid: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Upstream: `acme--web`. */
  readonly namespace: string;
  readonly object: JsonObject;
  readonly dryRun: boolean;
  /** `CreateOptions`. */
  readonly options: JsonObject;
  /** Of the host: `system:serviceaccount:kube-system:replicaset-controller`. */
  readonly username: string;
}

/** @throws {ApiError} ERR_BAD_REQUEST for anything else than such a review */
export function readHostReview(body: Uint8Array): HostReview {
  const document = read(body);
  if (!isObject(document) || document['apiVersion'] !== API_VERSION || document['kind'] !== 'AdmissionReview') {
    throw notSuch(`expected an AdmissionReview of ${API_VERSION}`);
  }
  const request = child(document, 'request');
  const { object } = request;
  const resource = child(request, 'resource');
  const [uid, namespace] = [text(request, 'uid'), text(request, 'namespace')];
  const isCreation = text(request, 'operation') === 'CREATE' && text(request, 'subResource') === '';
  if (uid === '' || namespace === '' || !isCreation || !isObject(object)) {
    throw notSuch('expected the creation of an object in a namespace; the rules of the webhook ask for more');
  }
  return {
    uid,
    group: text(resource, 'group'),
    version: text(resource, 'version'),
    resource: text(resource, 'resource'),
    namespace,
    object,
    dryRun: request['dryRun'] === true,
    options: child(request, 'options'),
    username: text(child(request, 'userInfo'), 'username'),
  };
}

function read(body: Uint8Array): JsonValue {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw notSuch(error.message);
    throw error;
  }
}

/** The query of a request that would have been the review's. */
export function queryOf({ dryRun, options }: HostReview): Map<string, string> {
  const query = new Map<string, string>();
  if (dryRun || strings(options, 'dryRun').length > 0) query.set('dryRun', 'All');
  for (const name of ['fieldManager', 'fieldValidation']) {
    const value = text(options, name);
    if (value !== '') query.set(name, value);
  }
  return query;
}

/** How a review ends. */
export type Outcome =
  | { readonly allowed: true; readonly patch: readonly JsonObject[] }
  /** With a `Status` in the tenant's terms: it comes back to the tenant in Events. */
  | { readonly allowed: false; readonly status: JsonObject };

export function answerTo({ uid }: HostReview, outcome: Outcome): JsonObject {
  const response = outcome.allowed
    ? { uid, allowed: true, ...patchOf(outcome.patch) }
    : { uid, allowed: false, status: outcome.status };
  return { apiVersion: API_VERSION, kind: 'AdmissionReview', response };
}

function patchOf(operations: readonly JsonObject[]): JsonObject {
  if (operations.length === 0) return {};
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

function notSuch(message: string): ApiError {
  return new ApiError('ERR_BAD_REQUEST', message, { why: 'no-review' });
}
