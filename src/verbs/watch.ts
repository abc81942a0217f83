/**
 * WATCH of one collection or object: a namespace's objects, or cluster-scoped ones. Every event is mapped; a bookmark
 * always passes, the one that ends the initial events above all, without which no informer ever syncs.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
 */

import type { Reply, SharedEvent } from '../exchange.ts';
import { metadataOf, nameOf, versionOf } from '../k8s/meta.ts';
import { isOn } from '../k8s/query.ts';
import { isObject, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { refusalReply, replyHeaders } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { selectorParameters, verbParameters } from './query.ts';
import { cutObject, cutRows } from './representation.ts';
import { routeOf } from './route.ts';
import { sendWatch } from './send.ts';
import { type Events, sharedWatch, showUntilShared } from './shared-watch.ts';
import { missingStanding } from './standing.ts';
import { makeTable } from './table-printer.ts';

export async function watch(call: Call, deps: VerbDeps): Promise<Reply> {
  const route = routeOf(call, deps, 'read');
  const standing = wantsInitialEvents(call) ? missingStanding(call, deps, new Set(), true) : [];
  const shared = sharedWatch(call, deps);
  const begun = await shared?.begin();
  if (begun !== undefined) return { kind: 'watch', events: withStanding(call, deps, begun, standing) };
  const query = [...verbParameters(call.info.query, 'watch'), ...selectorParameters(call, route)];
  const opened = await sendWatch(call, deps, route, query);
  if ('refused' in opened) return refusalReply(call, opened.refused);
  const events = showUntilShared(call, deps, route, opened.events, shared);
  return { kind: 'watch', events: withStanding(call, deps, events, standing), headers: replyHeaders(call, opened) };
}

async function* withStanding(
  call: Call,
  deps: VerbDeps,
  events: Events,
  standing: readonly JsonObject[],
): AsyncGenerator<WatchEvent | SharedEvent> {
  for (const object of standing) yield addedEvent(call, deps, object);
  for await (const event of events) {
    yield event;
    const again = event.type === 'DELETED' ? standingAgain(call, deps, event) : undefined;
    if (again !== undefined) yield addedEvent(call, deps, again);
  }
}

/** A standing object that was hidden by the stored one of its name, now that this is gone; as new as its deletion. */
function standingAgain(call: Call, deps: VerbDeps, event: WatchEvent | SharedEvent): JsonObject | undefined {
  const all = missingStanding(call, deps, new Set(), false);
  if (all.length === 0) return undefined;
  const deleted = event.object;
  const [row] = Array.isArray(deleted['rows']) ? deleted['rows'] : [];
  const object = isObject(row) && isObject(row['object']) ? row['object'] : deleted;
  const standing = all.find((one) => nameOf(one) === nameOf(object));
  if (standing === undefined) return undefined;
  return { ...standing, metadata: { ...metadataOf(standing), resourceVersion: versionOf(object) } };
}

function addedEvent(call: Call, deps: VerbDeps, object: JsonObject): WatchEvent {
  const asTable = call.accept.as?.kind === 'Table';
  return { type: 'ADDED', object: asTable ? cutRows(call, makeTable(call, deps, [object])) : cutObject(call, object) };
}

/** Asked for, or given by default when a watch begins at "now" (unset) or "any" (`0`). */
export function wantsInitialEvents(call: Call): boolean {
  const asked = call.info.query.get('sendInitialEvents');
  if (asked !== undefined) return isOn(call.info.query, 'sendInitialEvents');
  const version = call.info.query.get('resourceVersion') ?? '';
  return version === '' || version === '0';
}
