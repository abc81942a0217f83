/**
 * What each tenant has set up for admission, as this replica has seen it: policies and bindings, in the tenant's terms,
 * each put into them once. A tenant that has nothing costs one look into a map.
 */
import type { Informer, InformerEvent } from '../k8s/informer.ts';
import { nameOf } from '../k8s/meta.ts';
import { child, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { type TenantId, tenantOf, type UpstreamName } from '../tenancy/names.ts';
import type { BoundPolicy } from './validating-policies.ts';

/** The kinds that are followed, by their resource. */
export const FOLLOWED = [
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
] as const;

export type Followed = (typeof FOLLOWED)[number];

export interface StoreOptions {
  readonly informers: Readonly<Record<Followed, Informer>>;
  /** A stored object in its tenant's terms; undefined when it is not one of the tenant's. May throw: then likewise. */
  readonly view: (tenant: TenantId, resource: Followed, object: JsonObject) => JsonObject | undefined;
  /** Told of an object that is left out. */
  readonly onFault?: (resource: Followed, error: unknown) => void;
}

/** Of one tenant, by resource and name. */
type Held = ReadonlyMap<Followed, Map<string, JsonObject>>;

export interface AdmissionStore {
  readonly synced: boolean;
  /** Policies of one sort with their bindings, in the order of their names; none for a tenant that has none. */
  policies(tenant: TenantId, sort: 'mutating' | 'validating'): readonly BoundPolicy[];
}

export function createAdmissionStore({ informers, view, onFault }: StoreOptions): AdmissionStore {
  const tenants = new Map<TenantId, Held>();
  /** Joined policies and bindings, until one of them changes. */
  const joined = new Map<TenantId, Map<string, readonly BoundPolicy[]>>();
  for (const resource of FOLLOWED) informers[resource].subscribe((event) => take(resource, event));

  function take(resource: Followed, { type, object }: InformerEvent): void {
    const upstreamName = nameOf(object);
    const owner = tenantOf(upstreamName as UpstreamName);
    if (owner === undefined) return;
    joined.delete(owner);
    const held: Held = tenants.get(owner) ?? new Map(FOLLOWED.map((one) => [one, new Map<string, JsonObject>()]));
    const objects = held.get(resource);
    objects?.delete(upstreamName);
    const seen = type === 'deleted' ? undefined : viewed(owner, resource, object);
    if (seen !== undefined) objects?.set(upstreamName, seen);
    if (Iterator.from(held.values()).every(({ size }) => size === 0)) tenants.delete(owner);
    else tenants.set(owner, held);
  }

  function viewed(tenant: TenantId, resource: Followed, object: JsonObject): JsonObject | undefined {
    try {
      return view(tenant, resource, object);
    } catch (error) {
      onFault?.(resource, error);
      return undefined;
    }
  }

  function join(held: Held, sort: 'mutating' | 'validating'): readonly BoundPolicy[] {
    const bindings = [...(held.get(`${sort}admissionpolicybindings`)?.values() ?? [])].sort(byName);
    return [...(held.get(`${sort}admissionpolicies`)?.values() ?? [])].sort(byName).flatMap((policy) => {
      const own = bindings.filter((binding) => text(child(binding, 'spec'), 'policyName') === nameOf(policy));
      return own.length === 0 ? [] : [{ policy, bindings: own }];
    });
  }

  return {
    get synced() {
      return FOLLOWED.every((resource) => informers[resource].synced);
    },
    policies(tenant, sort) {
      const held = tenants.get(tenant);
      if (held === undefined) return [];
      const known = joined.get(tenant) ?? new Map<string, readonly BoundPolicy[]>();
      joined.set(tenant, known);
      const policies = known.get(sort) ?? join(held, sort);
      known.set(sort, policies);
      return policies;
    },
  };
}

function byName(a: JsonObject, b: JsonObject): number {
  return nameOf(a) < nameOf(b) ? -1 : 1;
}
