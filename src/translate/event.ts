/**
 * One event of a watch stream in tenant terms. Bookmarks, which name no object, always pass; an ERROR holds a Status.
 */
import { annotationOf, metadataOf } from '../k8s/meta.ts';
import { isTable } from '../k8s/shapes.ts';
import { apiVersionOf, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { NotOurs } from './not-ours.ts';
import { toTenant } from './object.ts';
import type { Scope } from './scope.ts';
import { statusToTenant } from './status.ts';
import { tableToTenant } from './table.ts';
import { withColumnsOnce } from './table-columns.ts';

/** @throws {NotOurs} when the object is not the tenant's or cannot be shown: the caller leaves the event out */
export function eventToTenant(event: WatchEvent, at: KindAtVersion, scope: Scope): WatchEvent {
  return { type: event.type, object: objectOf(event, at, scope) };
}

function objectOf({ type, object }: WatchEvent, at: KindAtVersion, scope: Scope): JsonObject {
  if (type === 'ERROR') {
    return statusToTenant(object, scope, { group: at.kind.group, resource: at.kind.resource, name: '', namespace: '' });
  }
  if (isTable(object)) {
    const had = Array.isArray(object['rows']) ? object['rows'].length : 0;
    const table = tableToTenant(object, at, scope, () => {}, type === 'BOOKMARK');
    const has = Array.isArray(table['rows']) ? table['rows'].length : 0;
    if (has < had) throw new NotOurs(`a row of ${at.kind.kind} that is not of ${scope.tenant.id}`);
    return type === 'BOOKMARK' ? table : withColumnsOnce(table, scope);
  }
  return type === 'BOOKMARK' ? bookmarkToTenant(object, at) : toTenant(object, at, scope);
}

/** Only what a bookmark is made of: the revision, and the mark that ends the initial events. */
function bookmarkToTenant(object: JsonObject, at: KindAtVersion): JsonObject {
  const { apiVersion, kind } = object;
  const { resourceVersion } = metadataOf(object);
  const end = annotationOf(object, INITIAL_EVENTS_END);
  const own = apiVersion === at.upstreamApiVersion ? apiVersionOf(at.kind.group, at.version) : apiVersion;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(own === undefined ? {} : { apiVersion: own }),
    metadata: {
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(end === undefined ? {} : { annotations: { [INITIAL_EVENTS_END]: end } }),
    },
    ...bodyOfBookmark(object),
  };
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The API server fills a bookmark of a built-in kind with the empty fields of that kind, such as `spec: {}`. */
function bodyOfBookmark(object: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...rest } = object;
  return rest;
}
