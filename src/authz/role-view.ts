/**
 * Stored roles and bindings in their tenant's terms, for deciding. What a role grants is not a question of what its
 * tenant is offered: the four kinds of RBAC are taken from the table itself, without any policy, so that a policy which
 * hides them changes nothing of what they grant.
 *
 * An object that cannot be shown to the tenant, because it is not the tenant's or names something of another, throws.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#api-overview
 */
import { cloneJson } from '../codec/json.ts';
import type { JsonObject } from '../k8s/types.ts';
import { rowAt } from '../kinds/at-version.ts';
import type { KindAtVersion, KindRegistry } from '../kinds/kind.ts';
import { KINDS } from '../kinds/table.ts';
import type { TenantId } from '../tenancy/names.ts';
import { toTenant } from '../translate/object.ts';
import { scopeOfStored } from '../translate/stored-scope.ts';
import type { RbacResource } from './rbac-index.ts';

const RBAC = 'rbac.authorization.k8s.io';
/** Of the same class under every profile (role-view.test.ts). */
const ROWS: readonly KindAtVersion[] = KINDS.filter((kind) => kind.group === RBAC).flatMap((kind) => {
  const kindClass = kind.classes.baseline;
  return kindClass === 'absent' ? [] : [rowAt(kind, kindClass, 'v1')];
});

export type RoleView = (tenant: TenantId, resource: RbacResource, object: JsonObject) => JsonObject | undefined;

/** @param isHostGroup true for API groups that are not a tenant's */
export function createRoleView(isHostGroup: KindRegistry['isHostGroup']): RoleView {
  const kinds: KindRegistry = {
    isHostGroup,
    byResource: (_tenant, group, version, resource) => one(({ kind }) => kind.resource === resource, group, version),
    byKind: (_tenant, group, version, name) => one(({ kind }) => kind.kind === name, group, version),
    versionsOf: (_tenant, group, resource) => [one(({ kind }) => kind.resource === resource, group) ?? []].flat(),
    preferredByResource: (_tenant, group, resource) => one(({ kind }) => kind.resource === resource, group),
    preferredByKind: (_tenant, group, name) => one(({ kind }) => kind.kind === name, group),
    virtualByKind: (_tenant, name) => one((at) => at.class === 'virtual' && at.kind.kind === name, RBAC),
  };
  return (id, resource, object) => {
    const at = one(({ kind }) => kind.resource === resource, RBAC);
    if (at === undefined) return undefined;
    return toTenant(cloneJson(object), at, scopeOfStored(id, kinds));
  };
}

function one(is: (at: KindAtVersion) => boolean, group: string, version = 'v1'): KindAtVersion | undefined {
  return group === RBAC && version === 'v1' ? ROWS.find(is) : undefined;
}
