/**
 * Nobody grants what they do not have: a Role or ClusterRole may hold only rights that its writer holds, unless the
 * writer may `escalate`; a binding may give only a role whose rights its writer holds, unless the writer may `bind` it.
 * An aggregation rule can gather anything, so writing one takes everything. Members of `system:masters` may all.
 *
 * Codes and messages are kube-apiserver's, but for roles of too many rights to weigh, which it would try.
 *
 * @see k8s.io/kubernetes pkg/registry/rbac/{role,clusterrole,rolebinding}/policybased/storage.go at v1.36
 */
import { ApiError, invalid, notFound } from '../errors.ts';
import type { Identity } from '../exchange.ts';
import { aggregate } from '../k8s/aggregate.ts';
import { notSupported } from '../k8s/field-problems.ts';
import { nameOf } from '../k8s/meta.ts';
import { describeRules, missingRules, TooManyPieces } from '../k8s/policy-rules.ts';
import { type GrantedRules, MASTERS, type PolicyRule } from '../k8s/rbac.ts';
import { child, objects, text } from '../k8s/read.ts';
import { qualified } from '../k8s/status-texts.ts';
import type { JsonObject } from '../k8s/types.ts';
import { goQuote, goQuoteAll } from '../lib/go-quote.ts';
import { sameJson } from '../lib/same-json.ts';
import { inTurns, type Steps } from '../lib/turns.ts';
import type { Authorizer, GrantedWrite, GrantGuard } from '../ports.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { readRules } from './rules.ts';

const GROUP = 'rbac.authorization.k8s.io';
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];
const ROLES: ReadonlyMap<string, string> = new Map([
  ['Role', 'roles'],
  ['ClusterRole', 'clusterroles'],
]);
/** What garbage collection writes: no right changes with it. */
const COLLECTED = ['ownerReferences', 'finalizers', 'selfLink', 'managedFields'];

/** Runs a step of what takes long when it is the tenant's turn, until the request's time is up. */
export type GrantTurn = <T>(tenant: Tenant, signal: AbortSignal, step: () => T) => Promise<T>;

export function createGrantGuard(authorizer: Authorizer, turn: GrantTurn): GrantGuard {
  return {
    applies: ({ group, resource }) => group === GROUP && (isRole(resource) || isBinding(resource)),
    async check(tenant, who, write, signal) {
      if (who.groups.includes(MASTERS)) return;
      if (write.previous !== undefined && isOnlyCollected(write.object, write.previous)) return;
      const check = isRole(write.resource) ? checkRole : checkBinding;
      await inTurns(check(authorizer, tenant, who, write), (step) => turn(tenant, signal, step));
    },
  };
}

function isRole(resource: string): boolean {
  return resource === 'roles' || resource === 'clusterroles';
}

function isBinding(resource: string): boolean {
  return resource === 'rolebindings' || resource === 'clusterrolebindings';
}

function* checkRole(authorizer: Authorizer, tenant: Tenant, who: Identity, write: GrantedWrite): Steps<void> {
  const { resource, namespace, name, object, previous } = write;
  const escalate = { isResource: true, verb: 'escalate', group: GROUP, resource, subresource: '' } as const;
  // By the name in the URL, which a creation does not have.
  if (authorizer.decide(tenant, who, { ...escalate, namespace, name }).allowed) return;
  yield* confirmHeld(authorizer, tenant, who, write, readRules(object['rules']));
  if (resource === 'clusterroles' && (aggregates(object) || (previous !== undefined && aggregates(previous)))) {
    const { granted } = authorizer.rulesFor(tenant, who, namespace);
    if ((yield* missingRules(each(granted), EVERYTHING)).length === 0) return;
    throw forbidden(write, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

function aggregates(role: JsonObject): boolean {
  return objects(child(role, 'aggregationRule'), 'clusterRoleSelectors').length > 0;
}

function* checkBinding(authorizer: Authorizer, tenant: Tenant, who: Identity, write: GrantedWrite): Steps<void> {
  const { namespace, object } = write;
  const roleRef = child(object, 'roleRef');
  const role = { kind: text(roleRef, 'kind'), name: text(roleRef, 'name') };
  const resource = ROLES.get(role.kind);
  if (resource === undefined) {
    // The API server falls over here (500); what comes after it would say this.
    const problem = notSupported('roleRef.kind', role.kind, [...ROLES.keys()]);
    throw invalid({ group: GROUP, what: String(object['kind']), name: nameOf(object) }, [problem]);
  }
  const group = text(roleRef, 'apiGroup') || GROUP;
  const bind = {
    isResource: true,
    verb: 'bind',
    group,
    resource,
    subresource: '',
    name: role.name,
    namespace,
  } as const;
  if (authorizer.decide(tenant, who, bind).allowed) return;
  const granted = authorizer.roleRules(tenant, role, namespace);
  // The API server names what the request is about, not the role; so do we.
  if (typeof granted === 'string') throw notFound({ group: GROUP, what: write.resource, name: role.name });
  yield* confirmHeld(authorizer, tenant, who, write, granted);
}

function* confirmHeld(
  authorizer: Authorizer,
  tenant: Tenant,
  who: Identity,
  write: GrantedWrite,
  asked: readonly PolicyRule[],
): Steps<void> {
  const { granted, errors } = authorizer.rulesFor(tenant, who, write.namespace);
  const missing = yield* weigh(each(granted), asked, write);
  if (missing.length === 0) return;
  const user = `user ${goQuote(who.username)} (groups=${goQuoteAll(who.groups)})`;
  // For the same reason as above the API server calls a role that is not there by the kind of the request.
  const named = errors.map((error) => error.replace(/^(cluster)?role\./, `${write.resource}.`));
  const unresolved = errors.length === 0 ? '' : `; resolution errors: [${aggregate(named)}]`;
  throw forbidden(
    write,
    `${user} is attempting to grant RBAC permissions not currently held:\n${yield* describeRules(missing)}${unresolved}`,
  );
}

/** The rules of several bindings; of a role that some of them share once. */
function* each(granted: readonly GrantedRules[]): Iterable<PolicyRule> {
  for (const rules of new Set(granted)) for (const { rule } of rules) yield rule;
}

function* weigh(held: Iterable<PolicyRule>, asked: readonly PolicyRule[], write: GrantedWrite): Steps<PolicyRule[]> {
  try {
    return yield* missingRules(held, asked);
  } catch (error) {
    if (!(error instanceof TooManyPieces)) throw error;
    throw forbidden(write, `${error.message}, more than can be weighed against those of its writer; split the role`);
  }
}

function forbidden({ resource, object }: GrantedWrite, why: string): ApiError {
  const name = nameOf(object);
  const what = qualified(GROUP, resource);
  const named = name === '' ? what : `${what} ${goQuote(name)}`;
  return new ApiError('ERR_FORBIDDEN', `${named} is forbidden: ${why}`, {
    why: 'escalation',
    details: { ...(name === '' ? {} : { name }), group: GROUP, kind: resource },
  });
}

/** True when nothing differs but what garbage collection writes. */
function isOnlyCollected(object: JsonObject, previous: JsonObject): boolean {
  return sameJson(withoutCollected(object), withoutCollected(previous));
}

function withoutCollected(object: JsonObject): JsonObject {
  const metadata = Object.fromEntries(
    Object.entries(child(object, 'metadata')).filter(([field]) => !COLLECTED.includes(field)),
  );
  return { ...object, metadata };
}
