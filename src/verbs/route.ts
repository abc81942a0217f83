/**
 * Where a kind lives upstream and as whom it is reached. The one file that decides between the tenant's own identity,
 * which the host itself confines, and the reader, whose answers are checked on the way out.
 *
 *   namespaced, in a namespace that is guarded    as the tenant
 *   namespaced, in a namespace that is not there  as the reader (an empty list, as Kubernetes gives), reads only
 *   namespaced, all namespaces                    list: each namespace as the tenant; watch: the reader, filtered
 *   cluster-scoped custom resource                as the tenant (its group is the tenant's own)
 *   cluster-scoped native or virtual              reads: the reader, by label; writes: the tenant, behind the host's wall
 *   namespaces themselves                         reads: the reader, by label; writes: the provisioner
 *   published                                     the reader, by the policy's list of names
 *   mixed (lists and watches; see sides.ts)       the reader, by label and name or by the policy's list
 */
import { ApiError } from '../errors.ts';
import type { UpstreamIdentity } from '../ports.ts';
import { GUARD } from '../tenancy/host-names.ts';
import { TENANT_LABEL, type TenantName } from '../tenancy/names.ts';
import type { Call, VerbDeps } from './call.ts';

export interface Route {
  readonly identity: UpstreamIdentity;
  /** Path of the collection: `/api/v1/namespaces/acme--web/pods`. */
  readonly collection: string;
  /** Selector terms that are AND-ed to the client's. */
  readonly labels: readonly string[];
  /** True where the host does not confine the answer and each object is checked on the way out. */
  readonly needsOwnerCheck: boolean;
}

/** Namespaced kinds that guards are made of. No list, watch or mass deletion ever meets one. */
const GUARDED = new Set(['rolebindings', 'networkpolicies', 'resourcequotas', 'limitranges']);

export function routeOf(call: Call, deps: VerbDeps, access: 'read' | 'write'): Route {
  const { kind } = call.at;
  const collection = `${call.at.upstreamRoot}/${call.at.upstreamResource}`;
  if (call.at.class === 'published' || call.at.class === 'mixed') return readerRoute(collection, []);
  if (kind.namespaced) return routeInNamespace(call, deps, access);
  if (kind.custom) return tenantRoute(call, deps, collection, []);
  if (access === 'read') return readerRoute(collection, [`${TENANT_LABEL}=${call.tenant.id}`]);
  if (isNamespaces(call)) {
    // The label and the guard of a namespace come with it, so the host lets nobody else make or change one.
    return { identity: { as: 'provisioner' }, collection, labels: [], needsOwnerCheck: true };
  }
  return tenantRoute(call, deps, collection, [`${TENANT_LABEL}=${call.tenant.id}`]);
}

/** One namespace of a namespaced kind. `namespace` stands in for the request's own when a list walks several. */
export function routeInNamespace(
  call: Call,
  deps: VerbDeps,
  access: 'read' | 'write',
  namespace = call.info.namespace as TenantName,
): Route {
  const upstream = encodeURIComponent(call.scope.names.up(namespace));
  const collection = `${call.at.upstreamRoot}/namespaces/${upstream}/${call.at.upstreamResource}`;
  const state = deps.namespaces.state(call.tenant.id, namespace);
  const isGuarded = access === 'write' || state === 'ready' || state === 'terminating';
  return isGuarded
    ? tenantRoute(call, deps, collection, guardLabels(call))
    : readerRoute(collection, guardLabels(call));
}

/** All namespaces of the whole host, as the reader: only for a watch that filters every event. */
export function routeAcrossNamespaces(call: Call, deps: VerbDeps): Route {
  if (call.at.kind.resource === 'secrets' && call.at.kind.group === '' && !deps.readsSecretsAcross(call)) {
    throw new ApiError(
      'ERR_FORBIDDEN',
      'watching secrets across all namespaces is switched off here; watch one namespace, or ask the operator to set watchSecretsAcrossNamespaces',
    );
  }
  return readerRoute(`${call.at.upstreamRoot}/${call.at.upstreamResource}`, guardLabels(call));
}

/** The tenant's namespaces, whatever kind the request is for. */
export function routeToNamespaces(call: Call): Route {
  return readerRoute('/api/v1/namespaces', [`${TENANT_LABEL}=${call.tenant.id}`]);
}

/** The same as the reader, where the guard that the tenant's own identity needs has gone. */
export function asReader(route: Route): Route {
  return readerRoute(route.collection, route.labels);
}

/** True for the kind that needs a guard as soon as it is there. */
export function isNamespaces({ at }: Pick<Call, 'at'>): boolean {
  return at.kind.group === '' && at.kind.resource === 'namespaces';
}

function readerRoute(collection: string, labels: readonly string[]): Route {
  return { identity: { as: 'reader' }, collection, labels, needsOwnerCheck: true };
}

function tenantRoute(call: Call, deps: VerbDeps, collection: string, labels: readonly string[]): Route {
  const identity: UpstreamIdentity = {
    as: 'tenant',
    tenant: call.tenant.id,
    user: call.identity,
    trusted: deps.isTrusted(call),
  };
  return { identity, collection, labels, needsOwnerCheck: false };
}

function guardLabels(call: Call): readonly string[] {
  return isGuarded(call) ? [`!${GUARD}`] : [];
}

/** True for a kind that guards are made of. */
export function isGuarded({ at }: Pick<Call, 'at'>): boolean {
  return GUARDED.has(at.kind.resource);
}
