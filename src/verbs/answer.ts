/**
 * From upstream's answer to a Reply: objects mapped to tenant terms after the egress check, refusals mapped to a Status
 * that speaks in tenant names. Only headers from a short list go on.
 */
import { type ApiError, notFound } from '../errors.ts';
import type { Reply, ReplyHeaders } from '../exchange.ts';
import { isStatus, isTable } from '../k8s/shapes.ts';
import type { JsonObject } from '../k8s/types.ts';
import { NotOurs, toTenant } from '../translate/object.ts';
import { statusToTenant } from '../translate/status.ts';
import { tableToTenant } from '../translate/table.ts';
import { messageToTenant } from '../translate/targets/message.ts';
import type { Call, VerbDeps } from './call.ts';
import { dropForeign, mayShow } from './egress-check.ts';
import { cutObject, cutRows } from './representation.ts';
import type { Route } from './route.ts';
import { type Answer, isSuccess } from './send.ts';
import { printTable } from './table-printer.ts';

/**
 * One object, a Table of it, or the Status that some writes answer with.
 * @throws {NotOurs} for an object that is not the tenant's
 */
export function objectReply(call: Call, deps: VerbDeps, route: Route, answer: Answer): Reply {
  const { status, document } = answer;
  if (!isSuccess(answer)) return refusalReply(call, answer);
  const headers = replyHeaders(call, answer);
  if (isStatus(document)) {
    return { kind: 'object', status, object: statusToTenant(document, call.scope, call.info), headers };
  }
  if (isTable(document)) {
    return { kind: 'object', status, object: tableOfOne(call, deps, route, document), headers };
  }
  if (!mayShow(call, deps, route, document)) throw new NotOurs('an object of another owner was met');
  return { kind: 'object', status, object: cutObject(call, toTenant(document, call.at, call.scope)), headers };
}

function tableOfOne(call: Call, deps: VerbDeps, route: Route, document: JsonObject): JsonObject {
  const asked = rowsIn(document);
  dropForeign(call, deps, route, document);
  if (rowsIn(document) < asked) throw new NotOurs('a row of another owner was met');
  const table = tableToTenant(document, call.at, call.scope, (error) => deps.onLeftOut(call, error));
  return cutRows(call, printTable(call, deps, table));
}

function rowsIn({ rows }: JsonObject): number {
  return Array.isArray(rows) ? rows.length : 0;
}

/** A refusal by upstream, in tenant terms. */
export function refusalReply(call: Call, answer: Answer): Reply {
  const object = statusToTenant(answer.document, call.scope, call.info);
  return { kind: 'object', status: answer.status, object, headers: replyHeaders(call, answer) };
}

/** `pods "web" not found`, as upstream would say it, for what is not the tenant's. */
export function notTheirs(call: Call): ApiError {
  const { group, resource, name } = call.info;
  return notFound({ group, what: resource, name });
}

/** Of upstream's headers those that are for the client: warnings, in tenant terms, and when to try again. */
export function replyHeaders(call: Call, { headers: given }: Pick<Answer, 'headers'>): ReplyHeaders {
  const headers: Record<string, string | readonly string[]> = {};
  const { warning, 'retry-after': retryAfter } = given;
  if (warning !== undefined) headers['warning'] = [warning].flat().map((text) => messageToTenant(text, call.scope));
  if (typeof retryAfter === 'string') headers['retry-after'] = retryAfter;
  return headers;
}
