/**
 * What the host's API server asks of the relay: an `AdmissionReview` in upstream terms about an object that one of its
 * controllers is making. Only creations of whole objects in namespaces are asked about.
 * @see k8s.io/api admission/v1 types.go at v0.36
 */
import { child, strings, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { notSuch, requestIn } from './admission-review.ts';

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
  const request = requestIn(body);
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
