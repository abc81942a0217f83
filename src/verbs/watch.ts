/**
 * WATCH of one collection or object: a namespace's objects, or cluster-scoped ones. Every event is mapped; a bookmark
 * always passes, the one that ends the initial events above all, without which no informer ever syncs.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
 */
import type { Reply } from '../exchange.ts';
import { metadataOf, nameOf, versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { eventToTenant } from '../translate/event.ts';
import { NotOurs } from '../translate/object.ts';
import { rememberColumns } from '../translate/table-columns.ts';
import { asAsked, withIncluded } from './answer.ts';
import type { Call, Host } from './call.ts';
import { isOwnedBy } from './owner.ts';
import { type Place, placeOf } from './place.ts';
import { printed, tableOf } from './printed.ts';
import { plainParameters, selectorParameters, tableParameters } from './query.ts';
import { standingMissing } from './standing.ts';
import { openWatch } from './watch-source.ts';

export async function watch(call: Call, host: Host): Promise<Reply> {
  const place = placeOf(call, host, 'read');
  const selectors = selectorParameters(call, place);
  // What can match nothing of the tenant's still is a watch: open, and silent.
  const labels = selectors.nothing ? [['labelSelector', 'kubeveil.dev/nothing'] as const] : selectors.pairs;
  const query = [...plainParameters(call.info.query, 'watch'), ...labels, ...tableParameters(call)];
  const opened = await openWatch(call, host, place, place.collection, query);
  if ('reply' in opened) return opened.reply;
  const standing = wantsInitialEvents(call) ? standingMissing(call, host, new Set(), true) : [];
  return { kind: 'watch', events: shown(call, host, place, opened.events, standing) };
}

async function* shown(
  call: Call,
  host: Host,
  place: Place,
  events: AsyncIterable<WatchEvent>,
  standing: readonly JsonObject[],
): AsyncIterable<WatchEvent> {
  for (const object of standing) yield added(call, host, object);
  for await (const event of events) {
    const mapped = showEvent(call, host, place, event);
    if (mapped === undefined) continue;
    yield mapped;
    const again = mapped.type === 'DELETED' ? standingAgain(call, host, mapped.object) : undefined;
    if (again !== undefined) yield added(call, host, again);
  }
}

/** A standing object that was hidden by the stored one of its name, now that this is gone; as new as its deletion. */
function standingAgain(call: Call, host: Host, deleted: JsonObject): JsonObject | undefined {
  const [row] = Array.isArray(deleted['rows']) ? deleted['rows'] : [];
  const object = isObject(row) && isObject(row['object']) ? row['object'] : deleted;
  const standing = standingMissing(call, host, new Set()).find((one) => nameOf(one) === nameOf(object));
  if (standing === undefined) return undefined;
  return { ...standing, metadata: { ...metadataOf(standing), resourceVersion: versionOf(object) } };
}

function added(call: Call, host: Host, object: JsonObject): WatchEvent {
  const asTable = call.accept.as?.kind === 'Table';
  return { type: 'ADDED', object: asTable ? withIncluded(call, tableOf(call, host, [object])) : asAsked(call, object) };
}

/**
 * One event in tenant terms; undefined when it is not the tenant's. An object that cannot be mapped is left out and
 * counted: it never ends the stream of the others.
 */
export function showEvent(call: Call, host: Host, place: Place, event: WatchEvent): WatchEvent | undefined {
  // Upstream sends a Table's columns once, with an event that may not be the tenant's.
  rememberColumns(event.object, call.scope);
  if (event.type !== 'BOOKMARK' && event.type !== 'ERROR' && !isShown(call, host, place, event.object))
    return undefined;
  try {
    const { type, object } = eventToTenant(event, call.at, call.scope);
    if (type === 'BOOKMARK' || type === 'ERROR') return { type, object };
    if (object['kind'] !== 'Table') return { type, object: asAsked(call, object) };
    return { type, object: withIncluded(call, printed(call, host, object)) };
  } catch (error) {
    if (!(error instanceof NotOurs)) throw error;
    host.onLeftOut(call, error);
    return undefined;
  }
}

function isShown(call: Call, host: Host, place: Place, object: JsonObject): boolean {
  if (object['kind'] === 'Table' && Array.isArray(object['rows'])) {
    const kept = object['rows'].filter(
      (row) => isObject(row) && isObject(row['object']) && isShown(call, host, place, row['object']),
    );
    object['rows'] = kept;
    return kept.length > 0;
  }
  if (call.at.class === 'published') return host.sharedNames(call)?.has(nameOf(object)) ?? true;
  return !place.unconfined || isOwnedBy(call.tenant.id, object, call.at.kind.namespaced);
}

/** Asked for, or given by default when a watch begins at "now" (unset) or "any" (`0`). */
export function wantsInitialEvents(call: Call): boolean {
  const asked = call.info.query.get('sendInitialEvents');
  if (asked !== undefined) return asked === 'true' || asked === '1';
  const version = call.info.query.get('resourceVersion') ?? '';
  return version === '' || version === '0';
}
