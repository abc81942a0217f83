/**
 * `metadata.ownerReferences`. The host's garbage collector resolves them, so group, version and name must be upstream's
 * exactly: also the group that virtual kinds are stored in.
 *
 * An object of the host (a Node, a StorageClass) owns nothing of a tenant's: with `blockOwnerDeletion` the tenant would
 * hold up its deletion. The collector goes by uid, so uids of the host's objects are not shown as they are (`metadata.ts`).
 * On the way down an owner that is not the tenant's (set by a controller of the host) is left out of the view rather
 * than the whole object.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
import { forbiddenField, invalidValue } from '../k8s/field-problems.ts';
import { apiVersionOf, isObject, type JsonObject, type JsonValue, splitApiVersion } from '../k8s/types.ts';
import { type KindAtVersion, VIRTUAL_GROUP } from '../kinds/kind.ts';
import { kindByName } from '../kinds/table.ts';
import type { TenantName, UpstreamName } from '../tenancy/names.ts';
import { nameToTenant, nameToUpstream } from './names-check.ts';
import type { Scope } from './scope.ts';
import { groupToTenant, groupToUpstream } from './targets/group.ts';
import { kindOfReference } from './targets/object-reference.ts';
import type { Walk } from './walk.ts';

const WHERE = 'metadata.ownerReferences';
/** The host refuses two, and quotes all of them once for each: a thousand make 50 MB, ten thousand fill its memory. */
const MOST_CONTROLLERS = 16;

/** @throws {ApiError} ERR_INVALID for an owner that is the host's. Throws {NeedsLiveObject} for a part of one */
export function ownersToUpstream(value: JsonValue, walk: Walk): JsonValue {
  if (!Array.isArray(value)) return value;
  const controllers = value.filter((owner) => isObject(owner) && owner['controller'] === true);
  if (controllers.length > MOST_CONTROLLERS) {
    walk.refuse((field) => forbiddenField(field, 'only one reference can have Controller set to true'), WHERE);
  }
  for (const [at, owner] of value.entries()) if (isObject(owner)) ownerToUpstream(owner, `${WHERE}[${at}]`, walk);
  return value;
}

function ownerToUpstream(owner: JsonObject, where: string, walk: Walk): void {
  const { scope } = walk;
  refusePart(owner, walk);
  refuseOwnerUid(owner['uid'], walk);
  const { apiVersion, kind, name } = owner;
  if (typeof apiVersion !== 'string') return;
  const at = kindOfReference(owner, scope);
  const [group, version] = splitApiVersion(apiVersion);
  if (at === undefined ? isOfHost(group, kind) : at.class === 'published') {
    const detail = `objects of kind ${kind} belong to the operator of this cluster and own nothing of yours`;
    walk.refuse((field) => forbiddenField(field, detail), where);
  }
  owner['apiVersion'] =
    at?.class === 'virtual' ? at.upstreamApiVersion : apiVersionOf(groupToUpstream(group, scope), version);
  if (at !== undefined && typeof name === 'string') owner['name'] = nameToUpstream(name as TenantName, at, scope);
}

/** The uid of the Tenant is the one uid of the host's that a tenant knows: it stands in its tokens. */
export function refuseOwnerUid(uid: JsonValue | undefined, walk: Walk): void {
  if (typeof uid !== 'string' || uid !== walk.scope.tenant.uid) return;
  walk.refuse((field) => invalidValue(field, uid, 'no object has this uid'), `${WHERE}.uid`);
}

/** What an owner is can only be told by these three together; a list that is merged by uid could be given one of them. */
function refusePart(owner: JsonObject, walk: Walk): void {
  const isGiven = (field: string) => Object.hasOwn(owner, field) && owner[field] !== null && owner[field] !== '';
  const missing = ['apiVersion', 'kind', 'name'].filter((field) => !isGiven(field));
  if (missing.length === 0 || missing.length === 3 || Object.hasOwn(owner, '$patch')) return;
  if (walk.shape === 'strategic') walk.needsLive('a part of an owner');
  const detail = missing[0] === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
  walk.refuse((field) => invalidValue(field, '', detail), `${WHERE}.${missing[0]}`);
}

/** A cluster-scoped kind of the host that the tenant does not have. */
function isOfHost(group: string, kind: JsonValue | undefined): boolean {
  return typeof kind === 'string' && kindByName(group, kind)?.namespaced === false;
}

/** Takes owners of others out; without any left the whole field goes. */
export function ownersToTenant(value: JsonValue, scope: Scope): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  const shown = value.filter((owner) => !isObject(owner) || ownerToTenant(owner, scope));
  return shown.length === 0 && value.length > 0 ? undefined : shown;
}

/** Maps one owner in place; false when it is not the tenant's, and then nothing is changed. */
function ownerToTenant(owner: JsonObject, scope: Scope): boolean {
  const { apiVersion, kind, name } = owner;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return false;
  const tenantVersion = apiVersionToTenant(apiVersion, kind, scope);
  if (tenantVersion === undefined) return false;
  const at: KindAtVersion | undefined = kindOfReference({ kind, apiVersion: tenantVersion }, scope);
  if (at === undefined ? isOfHost(splitApiVersion(tenantVersion)[0], kind) : at.class === 'published') return false;
  if (at !== undefined && typeof name === 'string') {
    const mapped = nameToTenant(name as UpstreamName, at, scope);
    if (mapped === undefined) return false;
    owner['name'] = mapped;
  }
  owner['apiVersion'] = tenantVersion;
  return true;
}

function apiVersionToTenant(apiVersion: string, kind: string, scope: Scope): string | undefined {
  const [group, version] = splitApiVersion(apiVersion);
  if (group === VIRTUAL_GROUP) {
    const at = scope.kinds.virtualByKind(scope.tenant, kind);
    return at && apiVersionOf(at.kind.group, at.version);
  }
  const mapped = groupToTenant(group, scope);
  return mapped === undefined ? undefined : apiVersionOf(mapped, version);
}
