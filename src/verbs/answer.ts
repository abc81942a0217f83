/**
 * From upstream's answer to a Reply: the body parsed, objects mapped to tenant terms, refusals mapped to a Status that
 * speaks in tenant names. Only headers from a short list go on.
 */
import { parseJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply, ReplyHeaders } from '../exchange.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { UpstreamResponse } from '../ports.ts';
import { NotOurs, toTenant } from '../translate/object.ts';
import { statusToTenant } from '../translate/status.ts';
import { tableToTenant } from '../translate/table.ts';
import { messageToTenant } from '../translate/targets/message.ts';
import type { Call, Host } from './call.ts';
import { isOwnedBy } from './owner.ts';
import type { Place } from './place.ts';
import { printed } from './printed.ts';

/** What to ask upstream for, given what the client asked for. Encodings are ours to make; Tables and the like upstream's. */
export function upstreamAccept(call: Call): string {
  const { as } = call.accept;
  // Whose a volume is stands in its spec: it is cut to its metadata here.
  if (as === undefined || (isPartial(as.kind) && call.at.kind.owned !== undefined)) return 'application/json';
  return `application/json;as=${as.kind};v=${as.version};g=${as.group}`;
}

/** @throws {ApiError} ERR_BAD_GATEWAY when upstream answers something that is not a JSON object. */
export function parseAnswer(answer: UpstreamResponse): JsonObject {
  let document: unknown;
  try {
    document = parseJson(answer.body);
  } catch (cause) {
    throw new ApiError('ERR_BAD_GATEWAY', 'the cluster answered with something unreadable; try again', { cause });
  }
  if (!isObject(document))
    throw new ApiError('ERR_BAD_GATEWAY', 'the cluster answered with something unreadable; try again');
  return document;
}

export function isSuccess(answer: { status: number }): boolean {
  return answer.status >= 200 && answer.status < 300;
}

/** One object, a Table of it, or the Status that some writes answer with. */
export function objectReply(call: Call, host: Host, place: Place, answer: UpstreamResponse): Reply {
  const object = parseAnswer(answer);
  if (!isSuccess(answer)) return refusal(call, answer, object);
  const headers = replyHeaders(call, answer);
  if (object['kind'] === 'Status' && object['apiVersion'] === 'v1') {
    return { kind: 'object', status: answer.status, object: statusToTenant(object, call.scope, call.info), headers };
  }
  if (object['kind'] === 'Table') {
    const table = tableToTenant(object, call.at, call.scope, (error) => host.onLeftOut(call, error));
    return { kind: 'object', status: answer.status, object: withIncluded(call, printed(call, host, table)), headers };
  }
  return { kind: 'object', status: answer.status, object: asAsked(call, show(call, place, object)), headers };
}

/** An object that is whole, because it never was upstream or had to be read, cut to the metadata that was asked for. */
export function asAsked(call: Call, object: JsonObject): JsonObject {
  const { as } = call.accept;
  if (as === undefined || !isPartial(as.kind) || object['kind'] === PARTIAL) return object;
  return { kind: PARTIAL, apiVersion: `${as.group}/${as.version}`, metadata: object['metadata'] ?? {} };
}

const PARTIAL = 'PartialObjectMetadata';

function isPartial(kind: string): boolean {
  return kind === PARTIAL || kind === `${PARTIAL}List`;
}

/** Maps one object, after the egress check where the host did not confine the answer. */
export function show(call: Call, place: Place, object: JsonObject): JsonObject {
  if (
    place.unconfined &&
    call.at.class !== 'published' &&
    !isOwnedBy(call.tenant.id, object, call.at.kind.namespaced)
  ) {
    throw new NotOurs('an object of another owner was met');
  }
  return toTenant(object, call.at, call.scope);
}

/** A refusal by upstream, in tenant terms. */
export function refusal(call: Call, answer: Pick<UpstreamResponse, 'status' | 'headers'>, body: JsonObject): Reply {
  const headers = replyHeaders(call, answer);
  return { kind: 'object', status: answer.status, object: statusToTenant(body, call.scope, call.info), headers };
}

/** `pods "web" not found`, as upstream would say it, for what is not the tenant's. */
export function notFound(call: Call): ApiError {
  const { group, resource, name } = call.info;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const details = { name, kind: resource, ...(group === '' ? {} : { group }) };
  return new ApiError('ERR_NOT_FOUND', `${qualified} ${JSON.stringify(name)} not found`, { details });
}

function replyHeaders(call: Call, answer: Pick<UpstreamResponse, 'headers'>): ReplyHeaders {
  const headers: Record<string, string | readonly string[]> = {};
  const { warning, 'retry-after': retryAfter } = answer.headers;
  if (warning !== undefined) headers['warning'] = [warning].flat().map((text) => messageToTenant(text, call.scope));
  if (typeof retryAfter === 'string') headers['retry-after'] = retryAfter;
  return headers;
}

/** Upstream is always asked for metadata, without which no row can be checked; a client that wants none gets none. */
export function withIncluded(call: Call, table: JsonObject): JsonObject {
  const wanted = call.info.query.get('includeObject') ?? 'Metadata';
  if (wanted === 'Object' || !Array.isArray(table['rows'])) return table;
  for (const row of table['rows']) {
    if (!isObject(row)) continue;
    if (wanted === 'None') row['object'] = null;
    else if (isObject(row['object']) && row['object']['kind'] !== 'PartialObjectMetadata')
      row['object'] = partial(row['object']);
  }
  return table;
}

function partial(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object['metadata'] ?? {} };
}
