/**
 * What each tenant has set up for admission, as this replica has seen it: policies with their bindings and webhooks, in the
 * tenant's terms, each put into them once. A tenant that has nothing costs one look into a map.
 */
import type { Informer, InformerEvent } from '../k8s/informer.ts';
import { nameOf } from '../k8s/meta.ts';
import { child, objects, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { type TenantId, tenantOf, type UpstreamName } from '../tenancy/names.ts';
import type { BoundPolicy } from './validating-policies.ts';

/** The kinds that are followed, by their resource. */
export const FOLLOWED = [
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
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

/** One webhook of a configuration. */
export interface Hook {
  readonly configuration: string;
  /** Tells it from every other of the tenant. */
  readonly key: string;
  readonly webhook: JsonObject;
}

type Sort = 'mutating' | 'validating';

export interface AdmissionStore {
  readonly synced: boolean;
  /** Policies of one sort with their bindings, in the order of their names; none for a tenant that has none. */
  policies(tenant: TenantId, sort: Sort): readonly BoundPolicy[];
  /** Webhooks of one sort, in the order in which they are asked: of the names of their configurations, and in them. */
  webhooks(tenant: TenantId, sort: Sort): readonly Hook[];
}

export function createAdmissionStore({ informers, view, onFault }: StoreOptions): AdmissionStore {
  const tenants = new Map<TenantId, Held>();
  /** What is asked for of each tenant, until something of it changes. */
  const made = new Map<TenantId, Made>();
  for (const resource of FOLLOWED) informers[resource].subscribe((event) => take(resource, event));

  function take(resource: Followed, { type, object }: InformerEvent): void {
    const upstreamName = nameOf(object);
    const owner = tenantOf(upstreamName as UpstreamName);
    if (owner === undefined) return;
    made.delete(owner);
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

  function madeOf(tenant: TenantId): Made | undefined {
    const held = tenants.get(tenant);
    if (held === undefined) return undefined;
    const known = made.get(tenant) ?? {
      policies: { mutating: policiesIn(held, 'mutating'), validating: policiesIn(held, 'validating') },
      webhooks: { mutating: webhooksIn(held, 'mutating'), validating: webhooksIn(held, 'validating') },
    };
    made.set(tenant, known);
    return known;
  }

  return {
    get synced() {
      return FOLLOWED.every((resource) => informers[resource].synced);
    },
    policies: (tenant, sort) => madeOf(tenant)?.policies[sort] ?? [],
    webhooks: (tenant, sort) => madeOf(tenant)?.webhooks[sort] ?? [],
  };
}

interface Made {
  readonly policies: Readonly<Record<Sort, readonly BoundPolicy[]>>;
  readonly webhooks: Readonly<Record<Sort, readonly Hook[]>>;
}

function policiesIn(held: Held, sort: Sort): BoundPolicy[] {
  const bindings = sorted(held, `${sort}admissionpolicybindings`);
  return sorted(held, `${sort}admissionpolicies`).flatMap((policy) => {
    const own = bindings.filter((binding) => text(child(binding, 'spec'), 'policyName') === nameOf(policy));
    return own.length === 0 ? [] : [{ policy, bindings: own }];
  });
}

function webhooksIn(held: Held, sort: Sort): Hook[] {
  return sorted(held, `${sort}webhookconfigurations`).flatMap((configuration) =>
    objects(configuration, 'webhooks').map((webhook, at) => {
      const name = nameOf(configuration);
      return { configuration: name, key: `${name}/${text(webhook, 'name')}/${at}`, webhook };
    }),
  );
}

function sorted(held: Held, resource: Followed): JsonObject[] {
  return [...(held.get(resource)?.values() ?? [])].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
