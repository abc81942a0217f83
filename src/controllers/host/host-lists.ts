/**
 * The two ClusterRoles that list what belongs to all tenants: whom the data path may impersonate (`kubeveil:impersonation`)
 * and which API groups of tenants the reader may read (`kubeveil:reader-custom`). One writer, many askers: all tenants that
 * come at the same time are in one write.
 *
 * Whom the data path may impersonate is written as the host understands it, constrained or legacy, and never as both: a
 * host with constrained impersonation still goes by a legacy right, which does not limit what is done.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */

import { nameOf, uidOf } from '../../k8s/meta.ts';
import { objects, strings } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { coalesce } from '../../lib/coalesce.ts';
import { sameJson } from '../../lib/same-json.ts';
import {
  IDENTITY_EXTRAS,
  IMPERSONATION_ROLE,
  OWN_GROUP,
  READER_CUSTOM_ROLE,
  TENANTS_GROUP,
  TRUSTED_GROUP,
  tenantGroup,
  upstreamUser,
} from '../../tenancy/host-names.ts';
import { type TenantId, tenantIdProblem } from '../../tenancy/names.ts';
import type { HostClient } from '../../upstream/host-client.ts';
import { customGroups } from '../custom/custom-rules.ts';
import type { ImpersonationForm } from '../walls/impersonation.ts';
import { PATHS } from './host-objects.ts';
import type { HostInformers } from './informers.ts';

const AUTHENTICATION = 'authentication.k8s.io';
const USER_INFO = 'impersonate:user-info';
const LEGACY = 'impersonate';
const REQUEST_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export interface HostLists {
  /** Resolves once the host lists this tenant. @throws {HostError} */
  include(tenant: TenantId): Promise<void>;
  /** Takes a deleted tenant out. Its object may still be there, which is why the uid is named. */
  release(uid: string): Promise<void>;
  /** Makes the lists what they should be, if they are not. @throws {HostError} */
  settle(): Promise<void>;
}

export interface HostListsOptions {
  client: HostClient;
  informers: HostInformers;
  /** How the host limits impersonation now. What is listed stays as it is while this rejects. */
  form: () => Promise<ImpersonationForm>;
}

export function createHostLists({ client, informers, form }: HostListsOptions): HostLists {
  const released = new Set<string>();

  async function write(name: string, rules: JsonObject[]): Promise<void> {
    const known = informers.clusterRoles.get('', name);
    if (known !== undefined && sameJson(known['rules'] ?? [], rules)) return;
    informers.clusterRoles.note(await client.merge(`${PATHS.clusterRoles}/${name}`, { rules }));
  }

  const settle = coalesce(async () => {
    const groups = customGroups(informers.definitions.list());
    const list = async (): Promise<void> => {
      const rules = (await form()) === 'legacy' ? legacyRules : constrainedRules;
      await write(IMPERSONATION_ROLE, rules(tenantIds(informers.tenants.list(), released), groups));
    };
    await Promise.all([list(), write(READER_CUSTOM_ROLE, readerRules(groups))]);
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
export function constrainedRules(tenants: readonly TenantId[], groups: readonly string[]): JsonObject[] {
  const rules = identities(tenants, AUTHENTICATION, USER_INFO);
  if (groups.length > 0) {
    const verbs = REQUEST_VERBS.map((verb) => `impersonate-on:user-info:${verb}`);
    rules.push({ apiGroups: [...groups], resources: ['*'], verbs });
  }
  return rules;
}

/**
 * The same on a host without constrained impersonation: these users in these groups, whatever they do. What they may do
 * there is then theirs alone to say, and that of all authenticated users. What deploy/ lists for the other form, who asked
 * among it, means nothing to such a host.
 */
export function legacyRules(tenants: readonly TenantId[]): JsonObject[] {
  const rules = identities(tenants, '', LEGACY);
  if (rules.length === 0) return [];
  const extras = IDENTITY_EXTRAS.map((key) => `userextras/${OWN_GROUP}/${key}`);
  return [...rules, { apiGroups: [AUTHENTICATION], resources: extras, verbs: [LEGACY] }];
}

/** No rule where there are no tenants: one without names would be for everybody. */
function identities(tenants: readonly TenantId[], group: string, verb: string): JsonObject[] {
  if (tenants.length === 0) return [];
  const named = (resource: string, resourceNames: string[]): JsonObject => ({
    apiGroups: [group],
    resources: [resource],
    resourceNames,
    verbs: [verb],
  });
  return [
    named('users', tenants.map(upstreamUser)),
    named('groups', [TENANTS_GROUP, TRUSTED_GROUP, ...tenants.map(tenantGroup)]),
  ];
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
