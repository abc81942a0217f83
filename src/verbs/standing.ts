/**
 * Merging objects that stand without being stored (system namespaces, default roles) into what upstream answers.
 * They come last, so that pages before the last are upstream's own.
 */
import type { Reply } from '../exchange.ts';
import { labelsOf, nameOf } from '../k8s/meta.ts';
import { parseFieldSelector, parseLabelSelector } from '../k8s/selector.ts';
import type { JsonObject } from '../k8s/types.ts';
import { asAsked, withIncluded } from './answer.ts';
import type { Call, Host } from './call.ts';
import { rowsOf, tableOf } from './printed.ts';

/** The standing object that a GET names, as the client asked to see it. */
export function standingReply(call: Call, host: Host): Reply | undefined {
  const object = standingObject(call, host);
  if (object === undefined || call.info.subresource !== '') return undefined;
  if (call.accept.as?.kind !== 'Table') return { kind: 'object', status: 200, object: asAsked(call, object) };
  return { kind: 'object', status: 200, object: withIncluded(call, tableOf(call, host, [object])) };
}

export function standingObject(call: Call, host: Host): JsonObject | undefined {
  return host.standing.list(call.tenant, call.at).find((object) => nameOf(object) === call.info.name);
}

/**
 * Standing objects that the client's selectors pick and that are not stored.
 * @param isPartial `stored` may lack some of those that are: what this replica knows then counts as well
 */
export function standingMissing(call: Call, host: Host, stored: ReadonlySet<string>, isPartial = false): JsonObject[] {
  const all = host.standing.list(call.tenant, call.at);
  if (all.length === 0) return [];
  const label = parseLabelSelector(call.info.query.get('labelSelector') ?? '');
  const field = parseFieldSelector(call.info.query.get('fieldSelector') ?? '');
  return all.filter((object) => {
    if (stored.has(nameOf(object))) return false;
    if (isPartial && host.standing.isStored(call.tenant, call.at, nameOf(object))) return false;
    if (!label.matches(labelsOf(object))) return false;
    return field.matches({ 'metadata.name': nameOf(object), 'status.phase': 'Active' });
  });
}

/** A list or Table, in tenant terms, with these objects at its end. Rows hold whole objects. */
export function withStanding(call: Call, host: Host, document: JsonObject, objects: readonly JsonObject[]): JsonObject {
  if (objects.length === 0) return document;
  if (document['kind'] === 'Table') {
    const rows = Array.isArray(document['rows']) ? document['rows'] : [];
    return { ...document, rows: [...rows, ...rowsOf(call, host, objects)] };
  }
  const items = Array.isArray(document['items']) ? document['items'] : [];
  // Items of a list carry neither kind nor apiVersion.
  const bare = objects.map((object) => {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = asAsked(call, object);
    return rest;
  });
  return { ...document, items: [...items, ...bare] };
}
