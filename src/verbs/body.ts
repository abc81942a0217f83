/**
 * What a verb needs of the body of its request: the object, which must be what the URL names, or a patch. In the
 * tenant's terms. Options of a deletion are in `delete-options.ts`.
 */
import { ApiError, invalid } from '../errors.ts';
import type { Body } from '../exchange.ts';
import { notSupported } from '../k8s/field-problems.ts';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import { child, text } from '../k8s/read.ts';
import { isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import { bodyTypeOf } from './body-type.ts';
import type { Call } from './call.ts';

/**
 * The object that is to be written.
 * @throws {ApiError} ERR_BAD_REQUEST when the request has none in its body, or another than its URL names
 */
export function objectOf(call: Call): JsonObject {
  const document = call.body?.document;
  if (document === undefined || !isObject(document)) {
    throw new ApiError('ERR_BAD_REQUEST', 'the request has no object in its body');
  }
  matchUrl(call, document);
  refuseUnknownRole(call, document);
  return document;
}

/** The host weighs the right to bind before it looks at the binding, and fails (500) on a role of a kind that is none. */
function refuseUnknownRole(call: Call, object: JsonObject): void {
  const { group, resource, subresource } = call.info;
  if (group !== 'rbac.authorization.k8s.io' || resource !== 'rolebindings' || subresource !== '') return;
  const kind = text(child(object, 'roleRef'), 'kind');
  if (kind === 'Role' || kind === 'ClusterRole') return;
  const problem = notSupported('roleRef.kind', kind, ['Role', 'ClusterRole']);
  throw invalid({ group, what: call.at.kind.kind, name: nameOf(object) }, [problem]);
}

/** @throws {ApiError} ERR_BAD_REQUEST when the request has no patch in its body */
export function patchOf(call: Call): Body {
  if (call.body === undefined) throw new ApiError('ERR_BAD_REQUEST', 'the request has no patch in its body');
  return call.body;
}

/**
 * The URL and the body must name the same type, namespace and object, in the tenant's terms and before anything is mapped.
 * Fills in what the body may leave out.
 * @throws {ApiError} ERR_BAD_REQUEST, in the API server's words
 */
function matchUrl(call: Call, object: JsonObject): void {
  const expected = bodyTypeOf(call);
  object['apiVersion'] ??= expected.apiVersion;
  object['kind'] ??= expected.kind;
  const apiVersion = String(object['apiVersion']);
  // A subresource takes its body in any version of its group, as `autoscaling/v1` and `policy/v1` are not the URL's.
  const same =
    call.info.subresource === ''
      ? apiVersion === expected.apiVersion
      : splitApiVersion(apiVersion)[0] === splitApiVersion(expected.apiVersion)[0];
  if (object['kind'] !== expected.kind || !same) {
    const given = `${apiVersion}, Kind=${object['kind']}`;
    throw new ApiError(
      'ERR_BAD_REQUEST',
      `the object provided is ${given}, but ${expected.apiVersion}, Kind=${expected.kind} is expected here`,
    );
  }
  const stated = object['metadata'];
  if (stated !== undefined && stated !== null && !isObject(stated)) {
    throw new ApiError('ERR_BAD_REQUEST', `the metadata of the provided ${expected.kind} is not an object`);
  }
  const metadata = metadataOf(object);
  object['metadata'] = metadata;
  const { namespace } = metadata;
  if (call.at.kind.namespaced) {
    if (namespace !== undefined && namespace !== null && namespace !== '' && namespace !== call.info.namespace) {
      throw new ApiError(
        'ERR_BAD_REQUEST',
        'the namespace of the provided object does not match the namespace sent on the request',
      );
    }
    metadata['namespace'] = call.info.namespace;
  } else {
    delete metadata['namespace'];
  }
  const name = nameOf(object);
  if (call.info.name !== '' && name !== '' && name !== call.info.name) {
    throw new ApiError(
      'ERR_BAD_REQUEST',
      `the name of the object (${name}) does not match the name on the URL (${call.info.name})`,
    );
  }
}
