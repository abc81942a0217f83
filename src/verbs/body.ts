/**
 * What a verb needs of the body of its request: the object, which must be what the URL names, or a patch. In the
 * tenant's terms. Options of a deletion are in `delete-options.ts`.
 */
import { goType } from '../codec/type-meta.ts';
import { ApiError, invalid } from '../errors.ts';
import type { Body } from '../exchange.ts';
import { invalidValue } from '../k8s/field-problems.ts';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import { type BodyType, bodyTypeOf } from './body-type.ts';
import type { Call } from './call.ts';
import { refuseUnknownRole } from './unknown-role.ts';

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
  refuseUnknownRole(call, document, false);
  return document;
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
  matchType(call, object, expected);
  const stated = object['metadata'] ?? {};
  if (!isObject(stated)) {
    const { kind } = expected;
    const field = call.at.kind.custom ? 'Go value' : `Go struct field ${kind}.metadata`;
    throw unhandled(object, kind, `json: cannot unmarshal ${goType(stated)} into ${field} of type v1.ObjectMeta`);
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
  checkOwnName(call, name);
  if (object['kind'] !== expected.kind) {
    const of = { group: call.info.group, what: String(object['kind']), name };
    throw invalid(of, [invalidValue('kind', object['kind'] ?? null, `must be ${expected.kind}`)]);
  }
}

/** Of a custom resource the kind is looked at last, like any of its fields. */
function matchType(call: Call, object: JsonObject, expected: BodyType): void {
  const { custom } = call.at.kind;
  const isCustom = custom && !expected.own;
  if (!isCustom) {
    object['apiVersion'] ||= expected.apiVersion;
    object['kind'] ||= expected.kind;
  }
  const apiVersion = String(object['apiVersion'] ?? '');
  const [group] = splitApiVersion(apiVersion);
  const isOfGroup = group === splitApiVersion(expected.apiVersion)[0];
  // A subresource takes its body in any version of its group, as `autoscaling/v1` and `policy/v1` are not the URL's.
  const isVersion = call.info.subresource === '' ? apiVersion === expected.apiVersion : isOfGroup;
  const isKind = isCustom || object['kind'] === expected.kind;
  if (isKind && isVersion) return;
  if (isKind && (isCustom || isOfGroup)) {
    throw new ApiError(
      'ERR_BAD_REQUEST',
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
  }
  throw unhandled(
    object,
    expected.kind,
    `it is ${apiVersion} ${object['kind']}, and ${expected.apiVersion} is expected here`,
  );
}

/** A body that was read but is not what the URL is for. */
function unhandled(object: JsonObject, expected: string, why: string): ApiError {
  const [, version] = splitApiVersion(String(object['apiVersion']));
  const is = `${object['kind']} in version ${JSON.stringify(version)}`;
  return new ApiError('ERR_BAD_REQUEST', `${is} cannot be handled as a ${expected}: ${why}`);
}

/** @throws {ApiError} ERR_BAD_REQUEST for the name of another object than the request is for */
export function checkOwnName({ info }: Pick<Call, 'info'>, name: string): void {
  if (info.name === '' || name === '' || name === info.name) return;
  throw new ApiError(
    'ERR_BAD_REQUEST',
    `the name of the object (${name}) does not match the name on the URL (${info.name})`,
  );
}
