/**
 * A list of objects in tenant terms. An object that is not the tenant's, or that cannot be shown, is left out: one odd
 * object never breaks a list.
 */
import { isPartial, isPartialList, isTable } from '../k8s/shapes.ts';
import { apiVersionOf, isObject, type JsonObject } from '../k8s/types.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { NotOurs, shownOr, typeName } from './not-ours.ts';
import { toTenant } from './object.ts';
import type { Scope } from './scope.ts';
import { tableToTenant } from './table.ts';

/**
 * Maps a list (or a Table of one) in place. `continue` and `remainingItemCount` are the caller's matter.
 * @param onLeftOut called with the reason for each object that is left out
 * @throws {NotOurs} when the document is no list of this kind
 */
export function listToTenant(
  list: JsonObject,
  at: KindAtVersion,
  scope: Scope,
  onLeftOut: (error: NotOurs) => void = () => {},
): JsonObject {
  const { kind, apiVersion, items } = list;
  if (isTable(list)) return tableToTenant(list, at, scope, onLeftOut);
  // A CRD may give its lists any kind.
  if (apiVersion === at.upstreamApiVersion && (at.kind.custom || kind === `${at.kind.kind}List`)) {
    list['apiVersion'] = apiVersionOf(at.kind.group, at.version);
  } else if (!isPartialList(list)) {
    throw new NotOurs(`${typeName(list)} where a list of ${at.upstreamApiVersion} ${at.kind.kind} was asked for`);
  }
  const { metadata } = list;
  if (isObject(metadata)) {
    delete metadata['selfLink'];
    // Of custom resources upstream says it always; of the kind that the tenant sees only where there is more.
    if (at.class === 'virtual' && metadata['continue'] === '') delete metadata['continue'];
  }
  if (Array.isArray(items)) {
    list['items'] = items.flatMap((item) => {
      if (!isObject(item)) return [];
      const shown = shownOr(() => toTenant(item, at, scope), onLeftOut);
      return shown === undefined ? [] : [asItem(shown, at)];
    });
  }
  return list;
}

/** Upstream says of every item of a custom resource's list what it is; lists of built-in kinds say it once. */
function asItem(object: JsonObject, at: KindAtVersion): JsonObject {
  if (at.class !== 'virtual' || isPartial(object)) return object;
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return rest;
}
