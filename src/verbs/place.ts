/**
 * Where a kind lives upstream and as whom it is reached. The one file that decides between the tenant's own identity,
 * which the host itself confines, and the reader, whose answers are checked on the way out.
 *
 *   namespaced, in a namespace that is guarded    as the tenant
 *   namespaced, in a namespace that is not there  as the reader (an empty list, as Kubernetes gives), reads only
 *   namespaced, all namespaces                    list: each namespace as the tenant; watch: the reader, filtered
 *   cluster-scoped custom resource                as the tenant (its group is the tenant's own)
 *   cluster-scoped native or virtual              reads: the reader, by label; writes: the tenant, behind the host's wall
 *   published                                     the reader, by the policy's list of names
 */
import { ApiError } from '../errors.ts';
import type { UpstreamIdentity } from '../ports.ts';
import { TENANT_LABEL, type TenantName } from '../tenancy/names.ts';
import type { Call, Host } from './call.ts';

export interface Place {
  readonly identity: UpstreamIdentity;
  /** Of the collection: `/api/v1/namespaces/acme--web/pods`. */
  readonly collection: string;
  /** Selector terms that are AND-ed to the client's. */
  readonly labels: readonly string[];
  /** True where the host does not confine the answer and each object is checked on the way out. */
  readonly unconfined: boolean;
}

/** Guards of ours in a tenant's namespace carry this label; no list, watch or mass deletion ever meets them. */
export const GUARD_LABEL = 'kubeveil.dev/guard';
/** Namespaced kinds that guards are made of. */
const GUARDED = new Set(['rolebindings', 'networkpolicies', 'resourcequotas', 'limitranges']);

export function placeOf(call: Call, host: Host, access: 'read' | 'write'): Place {
  const { kind } = call.at;
  if (call.at.class === 'published') return { ...asReader(call, root(call)), labels: [] };
  if (kind.namespaced) return inNamespace(call, host, access);
  if (kind.custom) return { identity: asTenant(call), collection: root(call), labels: [], unconfined: false };
  const labels = [`${TENANT_LABEL}=${call.tenant.id}`];
  if (access === 'read') return { ...asReader(call, root(call)), labels };
  return { identity: asTenant(call), collection: root(call), labels, unconfined: false };
}

/** One namespace of a namespaced kind. `namespace` stands in for the request's own when a list walks several. */
export function inNamespace(call: Call, host: Host, access: 'read' | 'write', namespace = call.info.namespace): Place {
  const collection = namespacePath(call, namespace as TenantName);
  const labels = GUARDED.has(call.at.kind.resource) ? [`!${GUARD_LABEL}`] : [];
  const state = host.namespaces.state(call.tenant.id, namespace as TenantName);
  if (access === 'write' || state === 'ready' || state === 'terminating') {
    return { identity: asTenant(call), collection, labels, unconfined: false };
  }
  return { ...asReader(call, collection), labels };
}

/** All namespaces of the whole host, as the reader: only for a watch that filters every event. */
export function acrossNamespaces(call: Call, host: Host): Place {
  if (call.at.kind.resource === 'secrets' && call.at.kind.group === '' && !host.readsSecretsAcross(call)) {
    throw new ApiError(
      'ERR_FORBIDDEN',
      'watching secrets across all namespaces is switched off here; watch one namespace, or ask the operator to set watchSecretsAcrossNamespaces',
    );
  }
  const labels = GUARDED.has(call.at.kind.resource) ? [`!${GUARD_LABEL}`] : [];
  return { ...asReader(call, root(call)), labels };
}

/** `<collection>/<name>[/<subresource>]` with each part escaped. */
export function objectPath(place: Place, upstreamName: string, subresource: string): string {
  const path = `${place.collection}/${encodeURIComponent(upstreamName)}`;
  return subresource === '' ? path : `${path}/${encodeURIComponent(subresource)}`;
}

export function asTenant(call: Call): UpstreamIdentity {
  return { as: 'tenant', tenant: call.tenant.id, user: call.identity };
}

function asReader(_call: Call, collection: string): Pick<Place, 'identity' | 'collection' | 'unconfined'> {
  return { identity: { as: 'reader' }, collection, unconfined: true };
}

function root(call: Call): string {
  return `${call.at.upstreamRoot}/${call.at.upstreamResource}`;
}

function namespacePath(call: Call, namespace: TenantName): string {
  const upstream = encodeURIComponent(call.scope.names.up(namespace));
  return `${call.at.upstreamRoot}/namespaces/${upstream}/${call.at.upstreamResource}`;
}
