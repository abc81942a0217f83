/**
 * One object, whole, between tenant terms and upstream terms. Both functions may change the object in place: it must be
 * freshly parsed and nobody else's.
 *
 * The body of a subresource may be of another kind (`Scale`): it is found by its kind among the parent's subresources.
 */
import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { labelsOf, nameOf } from '../k8s/meta.ts';
import { isPartial } from '../k8s/shapes.ts';
import { apiVersionOf, isObject, type JsonObject, splitApiVersion } from '../k8s/types.ts';
import { hostSide, ownSide } from '../kinds/at-version.ts';
import type { KindAtVersion } from '../kinds/kind.ts';
import { sameJson } from '../lib/same-json.ts';
import { TENANT_LABEL } from '../tenancy/names.ts';
import { refuseVastAmounts } from './amounts.ts';
import { lastAppliedDown } from './last-applied.ts';
import { refuseListLike } from './list-likes.ts';
import { metadataDown, metadataUp } from './metadata.ts';
import { looksOwned } from './names-check.ts';
import { NotOurs, typeName } from './not-ours.ts';
import { podClientDown } from './pod-client.ts';
import { refuseManyContainers } from './pod-size.ts';
import type { Scope } from './scope.ts';
import { groupToTenant } from './targets/group.ts';
import { mapTarget } from './targets/map.ts';
import { type Tree, treeOf } from './tree.ts';
import { type Shape, Walk } from './walk.ts';

export { NotOurs };

/**
 * The object as upstream stores it, with the tenant's label where its kind carries it.
 * @throws {ApiError} ERR_BAD_REQUEST (another apiVersion than the request's), ERR_INVALID (in tenant terms)
 */
export function toUpstream(object: JsonObject, at: KindAtVersion, scope: Scope, subresource = ''): JsonObject {
  return fragmentToUpstream(object, at, scope, 'whole', subresource);
}

/** The same for a patch that has the shape of an object. @throws {NeedsLiveObject} where it cannot be mapped alone */
export function fragmentToUpstream(
  object: JsonObject,
  at: KindAtVersion,
  scope: Scope,
  shape: Shape,
  subresource = '',
  name = '',
): JsonObject {
  const own = ownBody(object, at, subresource);
  const tree = treeOf(at.kind, own ?? subresource);
  const walk = new Walk(true, object, at, scope, shape, mapTarget);
  if (walk.named === '') walk.named = name;
  if (own === undefined) {
    apiVersionUp(object, at, scope, shape);
    refuseVastAmounts(object, at, walk);
    refuseManyContainers(object, walk);
  }
  const mapped = walk.value(object, tree.references) as JsonObject;
  const { metadata } = mapped;
  if (own === undefined) refuseListLike(mapped['items'], walk);
  if (isObject(metadata)) metadataUp(metadata, tree.references, walk);
  else if (metadata === null && shape !== 'whole') walk.needsLive('metadata: null');
  if (own === undefined && shape === 'whole') unfill(mapped, at.kind.filled);
  return mapped;
}

/**
 * The object as the tenant sees it.
 * @param seen gets every name that was mapped, by its upstream text: for cells and texts that stand beside the object
 * @throws {NotOurs} when it is not the tenant's, or holds something that cannot be shown
 */
export function toTenant(
  object: JsonObject,
  given: KindAtVersion,
  scope: Scope,
  seen?: Map<string, string>,
): JsonObject {
  const at = sideOf(object, given, scope);
  const tree = treeDown(object, at, scope);
  const walk = new Walk(false, object, at, scope, 'whole', mapTarget, seen);
  if (at.class === 'published') showPublished(object, at, walk);
  const { metadata } = object;
  if (!isObject(metadata)) throw new NotOurs(`${at.kind.kind} without metadata`);
  metadataDown(metadata, tree.references, walk);
  lastAppliedDown(metadata, scope, (applied) => toTenant(applied, writtenAt(applied, at, scope), scope));
  if (at.kind.isPodClient === true) podClientDown(object, walk.marks, scope.tenant);
  if (!isPartial(object) && isAnswered(metadata)) fill(object, at.kind.filled);
  const mapped = walk.value(object, tree.references);
  return walk.value(mapped, tree.messages) as JsonObject;
}

/** An apply may have been in another version, or group, than the object is read in; that one may be served no more. */
function writtenAt({ apiVersion, kind }: JsonObject, at: KindAtVersion, scope: Scope): KindAtVersion {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || apiVersion === at.upstreamApiVersion) return at;
  const [upstreamGroup, version] = splitApiVersion(apiVersion);
  const group = groupToTenant(upstreamGroup, scope);
  if (group === undefined) return at;
  const { kinds, tenant } = scope;
  const found = kinds.byKind(tenant, group, version, kind) ?? kinds.preferredByKind(tenant, group, kind);
  return found?.class === at.class ? { ...found, version, upstreamApiVersion: apiVersion } : at;
}

function fill(object: JsonObject, filled: JsonObject = {}): void {
  for (const [field, value] of Object.entries(filled)) object[field] ??= cloneJson(value);
}

/** What was filled in comes back with what a client read and changed; stored, it would be somebody's field. */
function unfill(object: JsonObject, filled: JsonObject = {}): void {
  for (const [field, value] of Object.entries(filled)) if (sameJson(object[field], value)) delete object[field];
}

/** Not what a client wrote and the annotation of its last apply keeps. */
function isAnswered({ uid, resourceVersion }: JsonObject): boolean {
  return uid !== undefined || resourceVersion !== undefined;
}

/** Of a mixed kind, whether this object, in upstream terms, is the tenant's own or the host's. */
export function sideOf(object: JsonObject, at: KindAtVersion, scope: Scope): KindAtVersion {
  if (at.class !== 'mixed') return at;
  return labelsOf(object)[TENANT_LABEL] === scope.tenant.id ? ownSide(at) : hostSide(at);
}

function apiVersionUp(object: JsonObject, at: KindAtVersion, scope: Scope, shape: Shape): void {
  const expected = apiVersionOf(at.kind.group, at.version);
  const { apiVersion } = object;
  if (apiVersion === undefined) {
    // Built-in kinds need not say what they are; a custom resource upstream must.
    if (at.class !== 'virtual' || shape !== 'whole') return;
    object['kind'] ??= at.kind.kind;
  } else if (apiVersion !== expected) {
    const given = typeof apiVersion === 'string' ? apiVersion : JSON.stringify(apiVersion);
    throw new ApiError(
      'ERR_BAD_REQUEST',
      `the API version in the data (${given}) does not match the expected API version (${expected})`,
    );
  }
  object['apiVersion'] = at.upstreamApiVersion;
  scope.renames.note(at.upstreamApiVersion, expected);
}

/** The subresource whose own body this is, when it is one. */
function ownBody(object: JsonObject, at: KindAtVersion, subresource: string): string | undefined {
  const { subresources, kind } = at.kind;
  if (subresource !== '') {
    return Object.hasOwn(subresources, subresource) && subresources[subresource]?.kind !== undefined
      ? subresource
      : undefined;
  }
  const given = object['kind'];
  if (typeof given !== 'string' || given === kind) return undefined;
  const [group] = splitApiVersion(typeof object['apiVersion'] === 'string' ? object['apiVersion'] : '');
  return Object.keys(subresources).find(
    (name) => subresources[name]?.kind === given && (subresources[name]?.group ?? at.kind.group) === group,
  );
}

/** Decides by kind and apiVersion what the object is, and maps them. */
function treeDown(object: JsonObject, at: KindAtVersion, scope: Scope): Tree {
  const { kind, apiVersion } = object;
  if (isPartial(object)) return treeOf(at.kind, '');
  const own = ownBody(object, at, '');
  if (own !== undefined) return treeOf(at.kind, own);
  if (
    (kind !== undefined && kind !== at.kind.kind) ||
    (apiVersion !== undefined && apiVersion !== at.upstreamApiVersion)
  ) {
    throw new NotOurs(
      `${typeName(object)} where ${at.upstreamApiVersion} ${at.kind.kind} was asked for ${scope.tenant.id}`,
    );
  }
  if (apiVersion !== undefined) object['apiVersion'] = apiVersionOf(at.kind.group, at.version);
  return treeOf(at.kind, '');
}

function showPublished(object: JsonObject, at: KindAtVersion, walk: Walk): void {
  const name = nameOf(object);
  // Of somebody else's the name has another form, or there is a label: either will do.
  if (labelsOf(object)[TENANT_LABEL] !== undefined || looksOwned(name, walk.scope))
    throw new NotOurs(`${at.kind.kind} ${JSON.stringify(name)} is of a tenant and not published`);
  at.kind.scrub?.(object);
  const { owned } = at.kind;
  if (owned === undefined) return;
  let value: unknown = object;
  for (const step of owned.by.split('.')) value = isObject(value) ? value[step] : undefined;
  const owner = typeof value === 'string' ? walk.scope.names.down(value as never) : undefined;
  if (owner === undefined) throw new NotOurs(`${at.kind.kind} that is not of ${walk.scope.tenant.id}`);
}
