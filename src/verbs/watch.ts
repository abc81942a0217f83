/**
 * WATCH of one collection or object: a namespace's objects, or cluster-scoped ones. Every event is mapped; a bookmark
 * always passes, the one that ends the initial events above all, without which no informer ever syncs.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
 */
import type { Reply } from '../exchange.ts';
import { metadataOf, nameOf, versionOf } from '../k8s/meta.ts';
import { isTable } from '../k8s/shapes.ts';
import { isObject, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { eventToTenant } from '../translate/event.ts';
import { NotOurs } from '../translate/object.ts';
import { rememberColumns } from '../translate/table-columns.ts';
import { refusalReply } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { dropForeign, mayShow } from './egress-check.ts';
import { isOn, selectorParameters, verbParameters } from './query.ts';
import { cutObject, cutRows } from './representation.ts';
import { type Route, routeOf } from './route.ts';
import { sendWatch } from './send.ts';
import { missingStanding } from './standing.ts';
import { makeTable, printTable } from './table-printer.ts';

export async function watch(call: Call, deps: VerbDeps): Promise<Reply> {
  const route = routeOf(call, deps, 'read');
  const query = [...verbParameters(call.info.query, 'watch'), ...selectorParameters(call, route)];
  const opened = await sendWatch(call, deps, route, query);
  if ('refused' in opened) return refusalReply(call, opened.refused);
  const standing = wantsInitialEvents(call) ? missingStanding(call, deps, new Set(), true) : [];
  return { kind: 'watch', events: showEvents(call, deps, route, opened.events, standing) };
}

async function* showEvents(
  call: Call,
  deps: VerbDeps,
  route: Route,
  events: AsyncIterable<WatchEvent>,
  standing: readonly JsonObject[],
): AsyncIterable<WatchEvent> {
  for (const object of standing) yield addedEvent(call, deps, object);
  for await (const event of events) {
    const shown = showEvent(call, deps, route, event);
    if (shown === undefined) continue;
    yield shown;
    const again = shown.type === 'DELETED' ? standingAgain(call, deps, shown.object) : undefined;
    if (again !== undefined) yield addedEvent(call, deps, again);
  }
}

/** A standing object that was hidden by the stored one of its name, now that this is gone; as new as its deletion. */
function standingAgain(call: Call, deps: VerbDeps, deleted: JsonObject): JsonObject | undefined {
  const [row] = Array.isArray(deleted['rows']) ? deleted['rows'] : [];
  const object = isObject(row) && isObject(row['object']) ? row['object'] : deleted;
  const standing = missingStanding(call, deps, new Set(), false).find((one) => nameOf(one) === nameOf(object));
  if (standing === undefined) return undefined;
  return { ...standing, metadata: { ...metadataOf(standing), resourceVersion: versionOf(object) } };
}

function addedEvent(call: Call, deps: VerbDeps, object: JsonObject): WatchEvent {
  const asTable = call.accept.as?.kind === 'Table';
  return { type: 'ADDED', object: asTable ? cutRows(call, makeTable(call, deps, [object])) : cutObject(call, object) };
}

/**
 * One event in tenant terms; undefined when it is not the tenant's. An object that cannot be mapped is left out and
 * counted: it never ends the stream of the others.
 */
export function showEvent(call: Call, deps: VerbDeps, route: Route, event: WatchEvent): WatchEvent | undefined {
  // Upstream sends a Table's columns once, with an event that may not be the tenant's.
  rememberColumns(event.object, call.scope);
  if (!isShown(call, deps, route, event)) return undefined;
  try {
    const { type, object } = eventToTenant(event, call.at, call.scope);
    if (type === 'BOOKMARK' || type === 'ERROR') return { type, object };
    if (!isTable(object)) return { type, object: cutObject(call, object) };
    return { type, object: cutRows(call, printTable(call, deps, object)) };
  } catch (error) {
    if (!(error instanceof NotOurs)) throw error;
    deps.onLeftOut(call, error);
    return undefined;
  }
}

/** Bookmarks and errors name no object. */
function isShown(call: Call, deps: VerbDeps, route: Route, { type, object }: WatchEvent): boolean {
  if (type === 'BOOKMARK' || type === 'ERROR') return true;
  if (!isTable(object) || !Array.isArray(object['rows'])) return mayShow(call, deps, route, object);
  dropForeign(call, deps, route, object);
  return object['rows'].length > 0;
}

/** Asked for, or given by default when a watch begins at "now" (unset) or "any" (`0`). */
export function wantsInitialEvents(call: Call): boolean {
  const asked = call.info.query.get('sendInitialEvents');
  if (asked !== undefined) return isOn(call.info.query, 'sendInitialEvents');
  const version = call.info.query.get('resourceVersion') ?? '';
  return version === '' || version === '0';
}
