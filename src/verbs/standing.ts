/**
 * Objects that a tenant has from its start without their being stored (system namespaces, default roles), merged into
 * what upstream answers. A stored object of the same name takes the place of a standing one.
 */
import { alreadyExists } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { parseLabelSelector } from '../k8s/label-selector-parser.ts';
import { labelsOf, nameOf } from '../k8s/meta.ts';
import { parseFieldSelector } from '../k8s/selector.ts';
import { isTable } from '../k8s/shapes.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { TenantName } from '../tenancy/names.ts';
import { nameToUpstream } from '../translate/names-check.ts';
import type { Call, VerbDeps } from './call.ts';
import { cutObject, cutRows } from './representation.ts';
import { isNamespaces } from './route.ts';
import { makeRows, makeTable } from './table-printer.ts';

/** The standing object that a GET names, of which its status is a part, as the client asked to see it. */
export function standingReply(call: Call, deps: VerbDeps): Reply | undefined {
  const object = standingObject(call, deps, call.info.name);
  if (object === undefined || !['', 'status'].includes(call.info.subresource)) return undefined;
  if (call.accept.as?.kind !== 'Table') return { kind: 'object', status: 200, object: cutObject(call, object) };
  return { kind: 'object', status: 200, object: cutRows(call, makeTable(call, deps, [object])) };
}

export function standingObject(call: Call, deps: VerbDeps, name: string): JsonObject | undefined {
  return allStanding(call, deps).find((object) => nameOf(object) === name);
}

/**
 * An object that stands without being stored exists for the tenant: making it again is a conflict.
 * @throws {ApiError} ERR_ALREADY_EXISTS
 */
export function refuseStanding(call: Call, deps: VerbDeps, name: string): void {
  if (name === '' || standingObject(call, deps, name) === undefined) return;
  const { group, resource } = call.info;
  throw alreadyExists({ group, what: resource, name });
}

/**
 * Standing objects that the client's selectors pick and that are not stored.
 * @param stored names in what upstream answered
 * @param isPartial that may lack some which are stored: what this replica knows then counts as well
 */
export function missingStanding(
  call: Call,
  deps: VerbDeps,
  stored: ReadonlySet<string>,
  isPartial: boolean,
): JsonObject[] {
  const all = allStanding(call, deps);
  if (all.length === 0) return [];
  const label = parseLabelSelector(call.info.query.get('labelSelector') ?? '');
  const field = parseFieldSelector(call.info.query.get('fieldSelector') ?? '');
  return all.filter((object) => {
    const name = nameOf(object);
    if (stored.has(name) || (isPartial && isStored(call, deps, name))) return false;
    return label.matches(labelsOf(object)) && field.matches({ 'metadata.name': name, 'status.phase': 'Active' });
  });
}

/** A list or Table, in tenant terms, with these objects at its end. Rows hold whole objects. */
export function appendStanding(
  call: Call,
  deps: VerbDeps,
  document: JsonObject,
  objects: readonly JsonObject[],
): JsonObject {
  if (objects.length === 0) return document;
  if (isTable(document)) {
    const rows = Array.isArray(document['rows']) ? document['rows'] : [];
    return { ...document, rows: [...rows, ...makeRows(call, deps, objects)] };
  }
  const items = Array.isArray(document['items']) ? document['items'] : [];
  // Items of a list carry neither kind nor apiVersion.
  const bare = objects.map((object) => {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = cutObject(call, object);
    return rest;
  });
  return { ...document, items: [...items, ...bare] };
}

/** A whole list or Table of cluster-scoped objects in the order of their names, as the API server keeps it. */
export function sortByName(document: JsonObject): JsonObject {
  const { items, rows } = document;
  const byName = (a: JsonValue, b: JsonValue) => (nameIn(a) < nameIn(b) ? -1 : nameIn(a) > nameIn(b) ? 1 : 0);
  if (Array.isArray(items)) return { ...document, items: [...items].sort(byName) };
  return Array.isArray(rows) ? { ...document, rows: [...rows].sort(byName) } : document;
}

/** Names in a list or Table, in whichever terms it is. */
export function namesIn({ items, rows }: JsonObject): Set<string> {
  return new Set([items, rows].flatMap((content) => (Array.isArray(content) ? content.map(nameIn) : [])));
}

/** Of an item, or of the object of a row. */
function nameIn(entry: JsonValue): string {
  if (!isObject(entry)) return '';
  return nameOf(isObject(entry['object']) && entry['metadata'] === undefined ? entry['object'] : entry);
}

/** True for a kind of which objects stand without being stored. */
export function hasStanding(call: Call, deps: VerbDeps): boolean {
  return allStanding(call, deps).length > 0;
}

function allStanding({ tenant, at }: Call, deps: VerbDeps): readonly JsonObject[] {
  if (at.class !== 'virtual' && !isNamespaces({ at })) return [];
  return deps.standing(tenant, at.kind.group, at.kind.resource);
}

/** As far as this replica has seen. */
function isStored(call: Call, deps: VerbDeps, name: string): boolean {
  if (isNamespaces(call)) return deps.namespaces.get(call.tenant.id, name as TenantName) !== undefined;
  return deps.views.has(call.at, '', nameToUpstream(name as TenantName, call.at, call.scope));
}
