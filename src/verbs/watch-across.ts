import type { Reply } from '../exchange.ts';
import { versionOf } from '../k8s/meta.ts';
import { isTable } from '../k8s/shapes.ts';
import { apiVersionOf, isObject, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { refusalReply } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { listAcross } from './list-across.ts';
import { isOn, type Pairs, pick, selectorParameters, verbParameters } from './query.ts';
import { routeAcrossNamespaces } from './route.ts';
import { sendWatch } from './send.ts';
import { showEvent, wantsInitialEvents } from './watch.ts';

export async function watchAcross(call: Call, deps: VerbDeps): Promise<Reply> {
  if (!wantsInitialEvents(call)) return await openWatch(call, deps, verbParameters(call.info.query, 'watch'), []);

  // Refused as the watch would be, before anything is listed for it.
  routeAcrossNamespaces(call, deps);
  const list = await listAcross(asList(call), deps);
  if (list.kind !== 'object' || list.status !== 200) return list;
  const revision = versionOf(list.object);
  const initial = [...addedEvents(call, list.object), ...endOfInitialEvents(call, revision)];
  const query = pick(call.info.query, ['timeoutSeconds', 'allowWatchBookmarks']);
  return await openWatch(call, deps, [...query, ['resourceVersion', revision]], initial);
}

async function openWatch(call: Call, deps: VerbDeps, query: Pairs, initial: readonly WatchEvent[]): Promise<Reply> {
  const route = routeAcrossNamespaces(call, deps);
  const opened = await sendWatch(call, deps, route, [...query, ...selectorParameters(call, route)]);
  if ('refused' in opened) return refusalReply(call, opened.refused);
  const { events } = opened;
  async function* all(): AsyncIterable<WatchEvent> {
    yield* initial;
    for await (const event of events) {
      const shown = showEvent(call, deps, route, event);
      if (shown !== undefined) yield shown;
    }
  }
  return { kind: 'watch', events: all() };
}

function asList(call: Call): Call {
  const query = new Map(call.info.query);
  for (const name of ['limit', 'continue', 'sendInitialEvents', 'allowWatchBookmarks', 'timeoutSeconds'])
    query.delete(name);
  if ((query.get('resourceVersion') ?? '') === '' || query.get('resourceVersion') === '0')
    query.delete('resourceVersionMatch');
  const { as } = call.accept;
  const shape = as?.kind === 'PartialObjectMetadata' ? { ...as, kind: 'PartialObjectMetadataList' } : as;
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
  if (call.accept.as !== undefined) return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
  return { apiVersion: apiVersionOf(call.info.group, call.info.version), kind: call.at.kind.kind };
}

function endOfInitialEvents(call: Call, revision: string): WatchEvent[] {
  const { query } = call.info;
  if (!isOn(query, 'allowWatchBookmarks') || !isOn(query, 'sendInitialEvents')) return [];
  const metadata = { resourceVersion: revision, annotations: { 'k8s.io/initial-events-end': 'true' } };
  return [{ type: 'BOOKMARK', object: { ...itemType(call), metadata } }];
}
