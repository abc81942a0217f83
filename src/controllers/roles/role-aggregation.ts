/**
 * Writes into each aggregated ClusterRole of a tenant what it gathers, as kube-controller-manager does, so that it can be
 * read. What it grants does not wait for this: the tenant's RBAC works that out itself.
 *
 * Level-triggered by tenant; each replica writes what any other would.
 *
 * @see k8s.io/kubernetes pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go at v1.36
 */
import type { Informer } from '../../k8s/informer.ts';
import { nameOf } from '../../k8s/meta.ts';
import type { PolicyRule } from '../../k8s/rbac.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { sameJson } from '../../lib/same-json.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import type { TenantRegistry } from '../../ports.ts';
import { type TenantId, tenantOf, type UpstreamName } from '../../tenancy/names.ts';
import type { Tenant } from '../../tenancy/tenant.ts';

/** Roles come in packs. */
const PAUSE_MS = 50;
const CONCURRENCY = 4;

export interface RoleAggregationOptions {
  /** The ClusterRoles of all tenants, in upstream terms: told here that something changed. */
  readonly clusterRoles: Pick<Informer, 'subscribe'>;
  readonly tenants: Pick<TenantRegistry, 'get'>;
  /** A tenant's aggregated roles: what they grant and what they store. */
  aggregated(tenant: Tenant): Iterable<{ name: string; rules: readonly PolicyRule[]; stored: readonly PolicyRule[] }>;
  /** Puts rules into a role of the tenant. @throws {Error} when that is refused */
  store(tenant: Tenant, name: string, rules: JsonObject[]): Promise<void>;
  readonly onError: (what: string, error: unknown) => void;
}

export function startRoleAggregation(options: RoleAggregationOptions): { stop(): Promise<void> } {
  const { clusterRoles, tenants, aggregated, store, onError } = options;
  const queue = createWorkQueue({
    work: (id) => settle(id as TenantId).then(() => undefined),
    concurrency: CONCURRENCY,
    onError: (id, error) => onError(`the aggregated roles of tenant ${id}`, error),
  });
  const unsubscribe = clusterRoles.subscribe(({ object }) => {
    const id = tenantOf(nameOf(object) as UpstreamName);
    if (id !== undefined) queue.addAfter(id, PAUSE_MS);
  });

  async function settle(id: TenantId): Promise<void> {
    const tenant = tenants.get(id);
    if (tenant?.phase !== 'Active') return;
    for (const { name, rules, stored } of [...aggregated(tenant)]) {
      if (!sameJson(rules, stored)) await store(tenant, name, rules.map(asStored));
    }
  }

  return {
    async stop() {
      unsubscribe();
      await queue.stop();
    },
  };
}

/** Without the lists that are empty. */
function asStored(rule: PolicyRule): JsonObject {
  return Object.fromEntries(
    Object.entries(rule).flatMap(([field, values]: [string, readonly string[]]) =>
      values.length === 0 ? [] : [[field, [...values]]],
    ),
  );
}
