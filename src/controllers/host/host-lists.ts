/**
 * The two ClusterRoles that list what belongs to all tenants: whom the data path may impersonate (`kubeveil:impersonation`)
 * and which API groups of tenants the reader may read (`kubeveil:reader-custom`). One writer, many askers: all tenants that
 * come at the same time are in one write.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/ (constrained impersonation)
 */

import { nameOf, uidOf } from '../../k8s/meta.ts';
import { objects, strings } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { coalesce } from '../../lib/coalesce.ts';
import { sameJson } from '../../lib/same-json.ts';
import {
  IMPERSONATION_ROLE,
  READER_CUSTOM_ROLE,
  TENANTS_GROUP,
  TRUSTED_GROUP,
  tenantGroup,
  upstreamUser,
} from '../../tenancy/host-names.ts';
import { type TenantId, tenantIdProblem } from '../../tenancy/names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { customGroups } from '../custom/custom-rules.ts';
import { PATHS } from './host-objects.ts';
import type { HostInformers } from './informers.ts';

const USER_INFO = 'impersonate:user-info';
const REQUEST_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export interface HostLists {
  /** Resolves once the host lists this tenant. @throws {HostError} */
  include(tenant: TenantId): Promise<void>;
  /** Takes a deleted tenant out. Its object may still be there, which is why the uid is named. */
  release(uid: string): Promise<void>;
  /** Makes the lists what they should be, if they are not. */
  settle(): Promise<void>;
}

export function createHostLists(client: HostClient, informers: HostInformers): HostLists {
  const released = new Set<string>();

  async function write(name: string, rules: JsonObject[]): Promise<void> {
    const known = informers.clusterRoles.get('', name);
    if (known !== undefined && sameJson(known['rules'] ?? [], rules)) return;
    informers.clusterRoles.note(await client.merge(`${PATHS.clusterRoles}/${name}`, { rules }));
  }

  const settle = coalesce(async () => {
    const groups = customGroups(informers.definitions.list());
    await Promise.all([
      write(IMPERSONATION_ROLE, impersonationRules(tenantIds(informers.tenants.list(), released), groups)),
      write(READER_CUSTOM_ROLE, readerRules(groups)),
    ]);
  });

  return {
    settle,
    include: (tenant) => (isListed(informers.clusterRoles.get('', IMPERSONATION_ROLE), tenant) ? resolved : settle()),
    async release(uid) {
      released.add(uid);
      await settle();
    },
  };
}

const resolved = Promise.resolve();

function tenantIds(tenants: Iterable<JsonObject>, released: ReadonlySet<string>): TenantId[] {
  const ids = [...tenants].filter((tenant) => !released.has(uidOf(tenant))).map(nameOf);
  return ids.filter((id) => tenantIdProblem(id) === undefined).sort() as TenantId[];
}

/** What the data path may do: be these users in these groups, and under their names write to these API groups. */
export function impersonationRules(tenants: readonly TenantId[], groups: readonly string[]): JsonObject[] {
  const rules: JsonObject[] = [];
  if (tenants.length > 0) {
    rules.push(
      names('users', tenants.map(upstreamUser)),
      names('groups', [TENANTS_GROUP, TRUSTED_GROUP, ...tenants.map(tenantGroup)]),
    );
  }
  if (groups.length > 0) {
    const verbs = REQUEST_VERBS.map((verb) => `impersonate-on:user-info:${verb}`);
    rules.push({ apiGroups: [...groups], resources: ['*'], verbs });
  }
  return rules;
}

function names(resource: string, resourceNames: string[]): JsonObject {
  return { apiGroups: ['authentication.k8s.io'], resources: [resource], resourceNames, verbs: [USER_INFO] };
}

function readerRules(groups: readonly string[]): JsonObject[] {
  return groups.length === 0 ? [] : [{ apiGroups: [...groups], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
}

function isListed(role: JsonObject | undefined, tenant: TenantId): boolean {
  const rules = objects(role, 'rules');
  const has = (resource: string, name: string) =>
    rules.some(
      (rule) => strings(rule, 'resources').includes(resource) && strings(rule, 'resourceNames').includes(name),
    );
  return has('users', upstreamUser(tenant)) && has('groups', tenantGroup(tenant));
}
