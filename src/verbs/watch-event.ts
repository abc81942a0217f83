/** One event of an upstream watch, as the tenant sees it: the egress check, the translation, and the shape asked for. */
import { isTable } from '../k8s/shapes.ts';
import type { WatchEvent } from '../k8s/types.ts';
import { eventToTenant } from '../translate/event.ts';
import { NotOurs } from '../translate/object.ts';
import { rememberColumns } from '../translate/table-columns.ts';
import type { Call, VerbDeps } from './call.ts';
import { dropForeign, mayShow } from './egress-check.ts';
import { noteRead } from './local-views.ts';
import { cutObject, cutRows } from './representation.ts';
import type { Route } from './route.ts';
import { printTable } from './table-printer.ts';

/**
 * One event in tenant terms; undefined when it is not the tenant's. An object that cannot be mapped is left out and
 * counted: it never ends the stream of the others.
 */
export function showEvent(call: Call, deps: VerbDeps, route: Route, event: WatchEvent): WatchEvent | undefined {
  // Upstream sends a Table's columns once, with an event that may not be the tenant's.
  rememberColumns(event.object, call.scope);
  if (!isShown(call, deps, route, event)) return undefined;
  if (event.type === 'ADDED' || event.type === 'MODIFIED') noteRead(call, deps, event.object);
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
