/**
 * WATCH of a namespaced kind over all of a tenant's namespaces: one upstream watch of the kind, shared where it can be
 * (`shared-watch.ts`), from which only events of the tenant's namespaces pass. The prefix of a namespace decides, which
 * the host's own wall ties to its label.
 *
 * Initial events are those of the exact cross-namespace LIST, then the bookmark that ends them, then what came since.
 */

import type { Reply, SharedEvent } from '../exchange.ts';
import { versionOf } from '../k8s/meta.ts';
import { isOn } from '../k8s/query.ts';
import { isTable, PARTIAL, PARTIAL_LIST } from '../k8s/shapes.ts';
import { apiVersionOf, isObject, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { refusalReply, replyHeaders } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { listAcross } from './list-across.ts';
import { type Pairs, pick, selectorParameters, verbParameters } from './query.ts';
import { routeAcrossNamespaces } from './route.ts';
import { sendWatch } from './send.ts';
import { type Events, type SharedWatch, sharedWatch, showUntilShared } from './shared-watch.ts';
import { wantsInitialEvents } from './watch.ts';

export async function watchAcross(call: Call, deps: VerbDeps): Promise<Reply> {
  // Refused as the watch would be, before anything is listed for it.
  routeAcrossNamespaces(call, deps);
  const shared = sharedWatch(call, deps);
  const begun = await shared?.begin();
  if (begun !== undefined) return { kind: 'watch', events: begun };
  if (!wantsInitialEvents(call)) {
    return await openWatch(call, deps, verbParameters(call.info.query, 'watch'), [], shared);
  }
  const list = await listAcross(asList(call), deps);
  if (list.kind !== 'object' || list.status !== 200) return list;
  const revision = versionOf(list.object);
  const initial = [...addedEvents(call, list.object), ...endOfInitialEvents(call, revision)];
  const following = shared?.since(revision);
  if (following !== undefined) return { kind: 'watch', events: chain(initial, following) };
  const query = pick(call.info.query, ['timeoutSeconds', 'allowWatchBookmarks']);
  return await openWatch(call, deps, [...query, ['resourceVersion', revision]], initial, shared);
}

async function openWatch(
  call: Call,
  deps: VerbDeps,
  query: Pairs,
  initial: readonly WatchEvent[],
  shared: SharedWatch | undefined,
): Promise<Reply> {
  const route = routeAcrossNamespaces(call, deps);
  const opened = await sendWatch(call, deps, route, [...query, ...selectorParameters(call, route)]);
  if ('refused' in opened) return refusalReply(call, opened.refused);
  const events = chain(initial, showUntilShared(call, deps, route, opened.events, shared));
  return { kind: 'watch', events, headers: replyHeaders(call, opened) };
}

async function* chain(initial: readonly WatchEvent[], events: Events): AsyncGenerator<WatchEvent | SharedEvent> {
  yield* initial;
  yield* events;
}

function asList(call: Call): Call {
  const query = new Map(call.info.query);
  for (const name of ['limit', 'continue', 'sendInitialEvents', 'allowWatchBookmarks', 'timeoutSeconds'])
    query.delete(name);
  if ((query.get('resourceVersion') ?? '') === '' || query.get('resourceVersion') === '0')
    query.delete('resourceVersionMatch');
  const { as } = call.accept;
  const shape = as?.kind === PARTIAL ? { ...as, kind: PARTIAL_LIST } : as;
  return { ...call, accept: { ...call.accept, as: shape }, info: { ...call.info, query } };
}

/** Items of a list become ADDED events; a Table becomes one Table a row, of which the first has the columns. */
function* addedEvents(call: Call, document: JsonObject): Iterable<WatchEvent> {
  if (isTable(document)) {
    const { rows, columnDefinitions, ...rest } = document;
    for (const [at, row] of (Array.isArray(rows) ? rows : []).entries()) {
      const columns = at === 0 && columnDefinitions !== undefined ? { columnDefinitions } : { columnDefinitions: null };
      yield { type: 'ADDED', object: { ...rest, ...columns, rows: [row] } };
    }
    return;
  }
  const typed = itemType(call);
  const items = Array.isArray(document['items']) ? document['items'] : [];
  for (const item of items) if (isObject(item)) yield { type: 'ADDED', object: { ...typed, ...item } };
}

function itemType(call: Call): { apiVersion: string; kind: string } {
  const { as } = call.accept;
  if (as !== undefined) return { apiVersion: `${as.group}/${as.version}`, kind: PARTIAL };
  return { apiVersion: apiVersionOf(call.info.group, call.info.version), kind: call.at.kind.kind };
}

function endOfInitialEvents(call: Call, revision: string): WatchEvent[] {
  // Also for a client that did not ask for initial events, and got them by default.
  if (!isOn(call.info.query, 'allowWatchBookmarks')) return [];
  const metadata = { resourceVersion: revision, annotations: { 'k8s.io/initial-events-end': 'true' } };
  return [{ type: 'BOOKMARK', object: { ...itemType(call), metadata } }];
}
