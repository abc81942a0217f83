/** CREATE of an object, or of a subresource that is made by POST (eviction, token). */
import { stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import { checkNames } from '../translate/names-check.ts';
import { toUpstream } from '../translate/object.ts';
import { isSuccess, objectReply, parseAnswer, upstreamAccept } from './answer.ts';
import type { Call, Host } from './call.ts';
import { ensureNamespace } from './namespace-ready.ts';
import { objectPath, placeOf } from './place.ts';
import { plainParameters, tableParameters } from './query.ts';
import { standingMissing } from './standing.ts';
import { bodyTypeOf } from './subresource.ts';
import { upstreamNameOf } from './upstream-name.ts';
import { prepared } from './virtual.ts';

export async function create(call: Call, host: Host): Promise<Reply> {
  if (call.info.namespace === '' && call.at.kind.namespaced) {
    throw new ApiError('ERR_BAD_REQUEST', 'an empty namespace may not be set during creation', {
      details: { kind: call.info.resource },
    });
  }
  const given = documentOf(call);
  matchesUrl(call, given);
  const object = await prepared(call, host, given, false);
  if (call.info.subresource === '') {
    checkNames(object, call.at, call.scope);
    refuseStanding(call, host, object);
  }
  await ensureNamespace(call, host);

  const place = placeOf(call, host, 'write');
  const path =
    call.info.subresource === '' ? place.collection : objectPath(place, upstreamNameOf(call), call.info.subresource);
  const answer = await host.upstream.request({
    identity: place.identity,
    method: 'POST',
    path,
    query: [...plainParameters(call.info.query, 'create'), ...tableParameters(call)],
    accept: upstreamAccept(call),
    contentType: 'application/json',
    body: stringifyJson(toUpstream(object, call.at, call.scope, call.info.subresource)),
    signal: call.head.signal,
  });
  if (isSuccess(answer) && call.info.subresource === '' && !isDryRun(call))
    host.onWritten(call.at, parseAnswer(answer));
  return objectReply(call, host, place, answer);
}

/** @throws {ApiError} ERR_BAD_REQUEST when the request has no object in its body */
export function documentOf(call: Call): JsonObject {
  const document = call.body?.document;
  if (document === undefined || !isObject(document)) {
    throw new ApiError('ERR_BAD_REQUEST', 'the request has no object in its body');
  }
  return document;
}

/**
 * The URL and the body must name the same type, namespace and object, in the tenant's terms and before anything is mapped.
 * @throws {ApiError} ERR_BAD_REQUEST, in the API server's words
 */
export function matchesUrl(call: Call, object: JsonObject): void {
  const expected = bodyTypeOf(call);
  object['apiVersion'] ??= expected.apiVersion;
  object['kind'] ??= expected.kind;
  const apiVersion = String(object['apiVersion']);
  // A subresource takes its body in any version of its group, as `autoscaling/v1` and `policy/v1` are not the URL's.
  const same =
    call.info.subresource === ''
      ? apiVersion === expected.apiVersion
      : groupOf(apiVersion) === groupOf(expected.apiVersion);
  if (object['kind'] !== expected.kind || !same) {
    const given = `${apiVersion}, Kind=${object['kind']}`;
    throw new ApiError(
      'ERR_BAD_REQUEST',
      `the object provided is ${given}, but ${expected.apiVersion}, Kind=${expected.kind} is expected here`,
    );
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

function groupOf(apiVersion: string): string {
  return splitApiVersion(apiVersion)[0];
}

/** An object that stands without being stored exists for the tenant: making it again is a conflict. */
function refuseStanding(call: Call, host: Host, object: JsonObject): void {
  const name = nameOf(object);
  if (name === '') return;
  const every = { ...call, info: { ...call.info, query: new Map<string, string>() } };
  if (!standingMissing(every, host, new Set()).some((standing) => nameOf(standing) === name)) return;
  const { group, resource } = call.info;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  throw new ApiError('ERR_ALREADY_EXISTS', `${qualified} ${JSON.stringify(name)} already exists`, {
    details: { name, group, kind: resource },
  });
}

export function isDryRun(call: Call): boolean {
  return (call.info.query.get('dryRun') ?? '') !== '';
}
