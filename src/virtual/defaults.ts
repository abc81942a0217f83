/**
 * The roles that every cluster has from its start, as a tenant sees them: made up here, stored only once changed.
 *
 * A stored object of the same name takes the place of a default one, for reading and for deciding. Deleting it brings
 * the default back, as restarting kube-apiserver would. An object that is made up keeps its uid for as long as its
 * tenant lives, is as old as the tenant, and has resourceVersion `1`, which no stored object has.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 */

import { createHash } from 'node:crypto';
import { cloneJson } from '../codec/json.ts';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import data from './default-roles.generated.json' with { type: 'json' };

/** Never a stored object's version. A write with it as a precondition means "as long as nobody has changed it". */
const DEFAULT_VERSION = '1';

const GROUP = 'rbac.authorization.k8s.io';
const DEFAULTS: ReadonlyMap<string, readonly JsonObject[]> = new Map(Object.entries(data));

/** The defaults of a resource without what differs by tenant, for the authorizer. Must not be changed. */
export function defaultRoles(): Record<'clusterroles' | 'clusterrolebindings', readonly JsonObject[]> {
  return { clusterroles: of('clusterroles'), clusterrolebindings: of('clusterrolebindings') };
}

/** All defaults of a kind for one tenant, in the tenant's terms, sorted by name; none for a kind without defaults. */
export function listDefaults(tenant: Tenant, group: string, resource: string): JsonObject[] {
  return group === GROUP ? of(resource).map((object) => forTenant(tenant, resource, object)) : [];
}

/** One default by its name; undefined when there is none. */
export function getDefault(tenant: Tenant, group: string, resource: string, name: string): JsonObject | undefined {
  const object = group === GROUP ? of(resource).find((one) => nameOf(one) === name) : undefined;
  return object === undefined ? undefined : forTenant(tenant, resource, object);
}

/**
 * A whole collection with the defaults that it does not hold, in key order.
 * @param stored objects in the tenant's terms
 * @param matches the client's selectors
 */
export function withDefaults(
  tenant: Tenant,
  group: string,
  resource: string,
  stored: readonly JsonObject[],
  matches: (object: JsonObject) => boolean = () => true,
): JsonObject[] {
  const names = new Set(stored.map(nameOf));
  const added = listDefaults(tenant, group, resource).filter((object) => !names.has(nameOf(object)) && matches(object));
  return [...stored, ...added].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function of(resource: string): readonly JsonObject[] {
  return DEFAULTS.get(resource) ?? [];
}

function forTenant(tenant: Tenant, resource: string, object: JsonObject): JsonObject {
  const copy = cloneJson(object);
  const { name, ...rest } = metadataOf(copy);
  const metadata = {
    name: name ?? '',
    uid: uidFor(tenant, `${resource}/${nameOf(object)}`),
    resourceVersion: DEFAULT_VERSION,
    creationTimestamp: tenant.createdAt,
    ...rest,
  };
  return { ...copy, metadata };
}

/** A UUID of version 8 (RFC 9562) out of the tenant's uid and the object's path. */
function uidFor(tenant: Tenant, path: string): string {
  const bytes = createHash('sha256').update(`${tenant.uid}/${path}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
