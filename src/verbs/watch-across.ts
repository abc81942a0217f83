/**
 * WATCH of a namespaced kind over all of a tenant's namespaces: one upstream watch of the kind, from which only events
 * of the tenant's namespaces pass. The prefix of a namespace decides, which the host's own wall ties to its label.
 *
 * Initial events are those of the exact cross-namespace LIST, then the bookmark that ends them, then what came since.
 */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import type { TenantName } from '../tenancy/names.ts';
import type { Call, Host } from './call.ts';
import { listAcross } from './list-across.ts';
import { acrossNamespaces, inNamespace, type Place } from './place.ts';
import { type Pairs, plainParameters, selectorParameters, tableParameters } from './query.ts';
import { showEvent, wantsInitialEvents } from './watch.ts';
import { openWatch } from './watch-source.ts';

export async function watchAcross(call: Call, host: Host): Promise<Reply> {
  if (isMisused(call)) return await upstreamsRefusal(call, host);
  const place = acrossNamespaces(call, host);
  if (!wantsInitialEvents(call)) return await live(call, host, place, plainParameters(call.info.query, 'watch'), []);

  const list = await listAcross(asList(call), host);
  if (list.kind !== 'object' || list.status !== 200) return list;
  const revision = versionOf(list.object);
  const initial = [...added(call, list.object), ...endOfInitial(call, revision)];
  const query = plainParameters(call.info.query, 'watch').filter(
    ([name]) => name === 'timeoutSeconds' || name === 'allowWatchBookmarks',
  );
  return await live(call, host, place, [...query, ['resourceVersion', revision]], initial);
}

async function live(
  call: Call,
  host: Host,
  place: Place,
  query: Pairs,
  initial: readonly WatchEvent[],
): Promise<Reply> {
  const selectors = selectorParameters(call, place);
  const labels = selectors.nothing ? [['labelSelector', 'kubeveil.dev/nothing'] as const] : selectors.pairs;
  const opened = await openWatch(call, host, place, place.collection, [...query, ...labels, ...tableParameters(call)]);
  if ('reply' in opened) return opened.reply;
  const { events } = opened;
  async function* all(): AsyncIterable<WatchEvent> {
    yield* initial;
    for await (const event of events) {
      const mapped = showEvent(call, host, place, event);
      if (mapped !== undefined) yield mapped;
    }
  }
  return { kind: 'watch', events: all() };
}

/** Combinations that the API server answers with 422; it says so itself, best in one namespace. */
function isMisused(call: Call): boolean {
  const { query } = call.info;
  const match = query.get('resourceVersionMatch');
  return query.has('sendInitialEvents') !== (match !== undefined) || (match !== undefined && match !== 'NotOlderThan');
}

async function upstreamsRefusal(call: Call, host: Host): Promise<Reply> {
  const place = inNamespace(call, host, 'read', 'default' as TenantName);
  const opened = await openWatch(call, host, place, place.collection, plainParameters(call.info.query, 'watch'));
  if ('reply' in opened) return opened.reply;
  // Accepted after all, but nothing of one namespace may pass for all of them.
  await opened.events[Symbol.asyncIterator]().return?.();
  throw new ApiError('ERR_INVALID', 'sendInitialEvents and resourceVersionMatch=NotOlderThan must be given together');
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
function* added(call: Call, document: JsonObject): Iterable<WatchEvent> {
  if (document['kind'] === 'Table') {
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
  const { group, version } = call.info;
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind: call.at.kind.kind };
}

function endOfInitial(call: Call, revision: string): WatchEvent[] {
  const isOn = (name: string): boolean => ['true', '1'].includes(call.info.query.get(name) ?? '');
  if (!isOn('allowWatchBookmarks') || !isOn('sendInitialEvents')) return [];
  const metadata = { resourceVersion: revision, annotations: { 'k8s.io/initial-events-end': 'true' } };
  return [{ type: 'BOOKMARK', object: { ...itemType(call), metadata } }];
}
