/**
 * Which collections are kept in memory, and how: the tenant's objects are read as for any list and watch, with the same
 * egress check and the same translation, only once for everybody who watches them.
 *
 * Not kept: Secrets where the policy keeps the reader from them; events, which are many, soon gone, and may live in
 * another store with revisions of its own; what is measured and stored nowhere; kinds of which ownership is in the
 * object itself.
 */

import type { Kept } from '../cache/begin-watch.ts';
import type { Cache } from '../cache/cache.ts';
import type { Collection } from '../cache/collection.ts';
import { Item, type ItemType } from '../cache/item.ts';
import type { Reader } from '../cache/view.ts';
import { headOfOwn } from '../exchange.ts';
import { labelsOf, namespaceOf, versionOf } from '../k8s/meta.ts';
import { objects, text } from '../k8s/read.ts';
import { apiVersionOf, type JsonObject, type WatchEvent } from '../k8s/types.ts';
import { CACHE_USER } from '../tenancy/host-names.ts';
import { TENANT_LABEL, type TenantId, tenantOf, type UpstreamName } from '../tenancy/names.ts';
import { Renames } from '../translate/renames.ts';
import type { Call, VerbDeps } from './call.ts';
import { readInParts } from './read-in-parts.ts';
import { type Route, routeAcrossNamespaces, routeOf } from './route.ts';
import { showEvent } from './watch-event.ts';

/**
 * The view that holds what this request asks for, perhaps not ready yet; undefined where there is none. What asks for one
 * namespace or one object has it where it is there, but does not make it.
 */
export function keptView(call: Call, deps: VerbDeps, make = true): Kept | undefined {
  if (!isKept(call, deps)) return undefined;
  const isWhole = call.info.verb !== 'get' && (!call.at.kind.namespaced || call.info.namespace === '');
  const own = ownCall(call);
  const route = sharedRoute(own, deps);
  const collectionKey = [
    route.identity.as,
    // What is of one tenant alone is not found by another that is made anew under its id.
    ...(call.at.kind.custom ? [call.tenant.uid] : []),
    route.collection,
    route.labels.join(','),
  ].join(' ');
  const wanted = {
    collection: {
      identity: route.identity,
      path: route.collection,
      labels: route.labels.join(','),
      ownerOf: ownerIn(call),
    },
    collectionKey,
    viewKey: [call.tenant.uid, call.tenant.policy, call.at.version, call.at.kind.kind, collectionKey].join(' '),
    makeReader: () => readerOf(own, deps, route),
  };
  return deps.cache.view(wanted, make && isWhole ? 'make' : 'only if there');
}

/** For whatever must not be served from what is kept. */
export const NOTHING_KEPT: Pick<Cache, 'view'> = { view: () => undefined };

function isKept(call: Call, deps: VerbDeps): boolean {
  const { kind } = call.at;
  if (kind.owned !== undefined || kind.measured || kind.resource === 'events') return false;
  return kind.group !== '' || kind.resource !== 'secrets' || deps.readsSecretsAcross(call);
}

/** Of everybody's objects of the kind, where they live side by side. */
function sharedRoute(call: Call, deps: VerbDeps): Route {
  if (call.at.kind.namespaced) return routeAcrossNamespaces(call, deps);
  const route = routeOf(call, deps, 'read');
  return route.labels.length === 0 ? route : { ...route, labels: [TENANT_LABEL] };
}

function ownerIn({ at }: Call): Collection['ownerOf'] {
  if (at.kind.custom && !at.kind.namespaced) return () => 'everybody';
  if (at.kind.namespaced) return (object) => tenantOf(namespaceOf(object) as UpstreamName);
  const owner = (object: JsonObject) => labelsOf(object)[TENANT_LABEL] as TenantId | undefined;
  // Beside the host's own there are those of trusted tenants.
  return at.class === 'published' || at.class === 'mixed' ? (object) => owner(object) ?? 'everybody' : owner;
}

/** The request for everything, of nobody in particular. */
function ownCall(call: Call): Call {
  const { username: _username, ...scope } = call.scope;
  return {
    ...call,
    head: headOfOwn({ id: 'cache', method: 'GET', target: '', signal: NEVER }),
    identity: { username: CACHE_USER, groups: [], uid: '', extra: {} },
    accept: { media: 'json', as: undefined },
    body: undefined,
    info: { ...call.info, verb: 'list', namespace: '', name: '', query: new Map() },
    scope: { ...scope, renames: new Renames() },
  };
}

const NEVER = new AbortController().signal;

function readerOf(call: Call, deps: VerbDeps, route: Route): Reader {
  const { kind, version } = call.at;
  let whole = true;
  const leftOut = (one: Call, error: unknown): void => {
    whole = false;
    deps.onLeftOut(one, error);
  };
  const own: VerbDeps = { ...deps, cache: NOTHING_KEPT, onLeftOut: leftOut };
  const type: ItemType = {
    group: kind.group,
    resource: kind.resource,
    apiVersion: apiVersionOf(kind.group, version),
    kind: kind.kind,
    isTypedInLists: kind.custom,
  };
  return {
    tenant: call.tenant.id,
    type,
    get whole() {
      return whole;
    },
    async read(signal) {
      whole = true;
      const items: Item[] = [];
      const list = await readInParts({ ...call, head: { ...call.head, signal } }, own, (part) => {
        for (const object of objects(part, 'items')) items.push(new Item(object, type));
      });
      return {
        version: versionOf(list),
        objects: items,
        list: { apiVersion: text(list, 'apiVersion'), kind: text(list, 'kind') },
      };
    },
    show(event: WatchEvent) {
      try {
        return showEvent(call, own, route, event);
      } catch (error) {
        leftOut(call, error);
        return undefined;
      }
    },
  };
}
