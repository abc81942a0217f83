/**
 * LIST of one collection: a namespace's objects, or cluster-scoped ones. "All namespaces" is `list-across.ts`.
 *
 * Pages: upstream's own token travels inside a sealed one of ours, bound to this tenant and collection, so that it can
 * be neither read nor forged nor used elsewhere.
 */
import type { Reply } from '../exchange.ts';
import { nameOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { UpstreamResponse } from '../ports.ts';
import { listToTenant } from '../translate/list.ts';
import { tableToTenant } from '../translate/table.ts';
import { asAsked, isSuccess, parseAnswer, refusal, upstreamAccept, withIncluded } from './answer.ts';
import type { Call, Host } from './call.ts';
import { openContinue, sealContinue } from './continue.ts';
import { isOwnedBy } from './owner.ts';
import { type Place, placeOf } from './place.ts';
import { printed } from './printed.ts';
import { type Pairs, plainParameters, selectorParameters, tableParameters } from './query.ts';
import { standingMissing, withStanding } from './standing.ts';

export async function list(call: Call, host: Host): Promise<Reply> {
  const place = placeOf(call, host, 'read');
  const position = await openContinue(call, host, 'one');
  const pages: Pairs = position === undefined ? [] : [['continue', String(position['token'])]];
  const answer = await fetchList(call, host, place, [...plainParameters(call.info.query, 'list'), ...pages]);
  const document = parseAnswer(answer);
  if (!isSuccess(answer)) return await refusedList(call, host, answer, document);

  const shown = listDocument(call, host, place, document);
  const metadata = isObject(shown['metadata']) ? shown['metadata'] : {};
  const token = metadata['continue'];
  if (typeof token === 'string' && token !== '') {
    metadata['continue'] = await sealContinue(call, host, 'one', { token });
    return { kind: 'object', status: 200, object: withIncluded(call, shown) };
  }
  const { query } = call.info;
  const isPartial = position !== undefined || query.has('labelSelector') || query.has('fieldSelector');
  const all = withStanding(call, host, shown, standingMissing(call, host, namesIn(shown), isPartial));
  return { kind: 'object', status: 200, object: withIncluded(call, all) };
}

/** One LIST upstream. A selector that can match nothing of the tenant's still asks, for the revision and the columns. */
export async function fetchList(call: Call, host: Host, place: Place, query: Pairs): Promise<UpstreamResponse> {
  const selectors = selectorParameters(call, place);
  return await host.upstream.request({
    identity: place.identity,
    method: 'GET',
    path: place.collection,
    query: [...query, ...(selectors.nothing ? NOTHING : selectors.pairs), ...tableParameters(call)],
    accept: upstreamAccept(call),
    signal: call.head.signal,
  });
}

/** No object can have this label: what is below `kubeveil.dev/` is ours alone. */
const NOTHING: Pairs = [['labelSelector', 'kubeveil.dev/nothing']];

/** A list or Table, in tenant terms; what is not the tenant's is left out. */
export function listDocument(call: Call, host: Host, place: Place, document: JsonObject): JsonObject {
  const leftOut = (error: unknown) => host.onLeftOut(call, error);
  if (document['kind'] === 'Table') {
    if (Array.isArray(document['rows']))
      document['rows'] = document['rows'].filter((row) => isRowShown(call, host, place, row));
    return printed(call, host, tableToTenant(document, call.at, call.scope, leftOut));
  }
  if (Array.isArray(document['items'])) {
    document['items'] = document['items'].filter((item) => isObject(item) && isShown(call, host, place, item));
  }
  return listAsAsked(call, listToTenant(document, call.at, call.scope, leftOut));
}

function listAsAsked(call: Call, document: JsonObject): JsonObject {
  const { as } = call.accept;
  if (as?.kind !== 'PartialObjectMetadataList' || document['kind'] === as.kind) return document;
  const items = Array.isArray(document['items']) ? document['items'].filter(isObject) : [];
  const { metadata = {} } = document;
  const cut = items.map((item) => asAsked(call, item));
  return { kind: as.kind, apiVersion: `${as.group}/${as.version}`, metadata, items: cut };
}

function isRowShown(call: Call, host: Host, place: Place, row: unknown): boolean {
  return isObject(row) && isObject(row['object']) && isShown(call, host, place, row['object']);
}

function isShown(call: Call, host: Host, place: Place, object: JsonObject): boolean {
  if (call.at.class === 'published') return host.sharedNames(call)?.has(nameOf(object)) ?? true;
  return !place.unconfined || isOwnedBy(call.tenant.id, object, call.at.kind.namespaced);
}

/** Names in a list or Table, in whichever terms it is. */
function namesIn(document: JsonObject): Set<string> {
  const items = Array.isArray(document['items']) ? document['items'] : [];
  const rows = Array.isArray(document['rows']) ? document['rows'] : [];
  const objects = [...items, ...rows.map((row) => (isObject(row) ? (row['object'] ?? null) : null))];
  return new Set(objects.filter(isObject).map(nameOf));
}

/** A page that upstream no longer has: 410, with a token of ours to go on without consistency, as the API server gives. */
async function refusedList(call: Call, host: Host, answer: UpstreamResponse, document: JsonObject): Promise<Reply> {
  const metadata = isObject(document['metadata']) ? document['metadata'] : {};
  const token = metadata['continue'];
  const reply = refusal(call, answer, document);
  if (reply.kind === 'object' && typeof token === 'string' && token !== '') {
    reply.object['metadata'] = { continue: await sealContinue(call, host, 'one', { token }) };
  }
  return reply;
}
