/** What a tenant uses of what its policy allows: gathered from those who count. */
import { amounts, hardOf } from '../controllers/guards/quota-facts.ts';
import type { Informer } from '../k8s/informer.ts';
import { labelsOf, nameOf } from '../k8s/meta.ts';
import { child } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Limiter } from '../limit/limit.ts';
import type { Policies } from '../policy/policy.ts';
import type { Measure, Measures } from '../reviews/usage.ts';
import { GUARD_OBJECT } from '../tenancy/host-names.ts';
import { TENANT_LABEL, type TenantId } from '../tenancy/names.ts';
import type { CountLimits } from './count-limits.ts';

export interface UsageSources {
  readonly policies: Policies;
  readonly limiter: Pick<Limiter, 'usage'>;
  readonly counts: Pick<CountLimits, 'count'>;
  /** In upstream terms. */
  readonly informers: { readonly namespaces: Pick<Informer, 'list'>; readonly quotas: Pick<Informer, 'get'> };
}

export function createMeasures({ policies, limiter, counts, informers }: UsageSources): Measures {
  return (tenant, { username }) => {
    const { limits, guards } = policies.of(tenant);
    const usage = limiter.usage({ tenant, username });
    const here = { scope: 'Cluster', countedBy: 'Replica' } as const;
    const ofUser = { scope: 'User', countedBy: 'Replica' } as const;
    const byHost = { scope: 'Cluster', countedBy: 'Host' } as const;
    const of = (name: string, used: number, limit: number) => ({
      name,
      resource: name,
      used: `${used}`,
      limit: `${limit}`,
    });
    const { quota } = guards(tenant.id);
    const used = Object.keys(quota).length === 0 ? {} : quotaUsed(tenant.id, informers);
    return [
      { ...of('requests', usage.requests, limits.requestsInFlight), ...here },
      { ...of('requests-of-user', usage.requestsOfUser, limits.requestsInFlightPerUser), ...ofUser },
      { ...of('requests-waiting', usage.waiting, limits.requestsWaiting), ...here },
      { name: 'requests-per-second', resource: 'requests-per-second', ...limitOf(limits.requestsPerSecond), ...here },
      {
        name: 'requests-per-second-of-user',
        resource: 'requests-per-second-of-user',
        ...limitOf(limits.requestsPerSecondPerUser),
        ...ofUser,
      },
      { ...of('watches', usage.watches, limits.watches), ...here },
      { ...of('watches-of-user', usage.watchesOfUser, limits.watchesPerUser), ...ofUser },
      { name: 'request-body', resource: 'request-body', ...limitOf(limits.requestBodyBytes), scope: 'Request' },
      { ...of('namespaces', counts.count(tenant.id, 'namespaces'), limits.namespaces), ...byHost },
      {
        ...of(
          'customresourcedefinitions',
          counts.count(tenant.id, 'customResourceDefinitions'),
          limits.customResourceDefinitions,
        ),
        ...byHost,
      },
      ...Object.entries(quota).map(([resource, limit]): Measure => {
        const name = `quota.${resource.replaceAll('/', '.').toLowerCase()}`;
        return { name, resource, used: String(used[resource] ?? '0'), limit, ...byHost };
      }),
    ];
  };
}

function limitOf(limit: number | undefined): Pick<Measure, 'limit'> {
  return limit === undefined ? {} : { limit: String(limit) };
}

/** The sum over the tenant's namespaces, as the host last counted it. */
function quotaUsed(tenant: TenantId, { namespaces, quotas }: UsageSources['informers']): JsonObject {
  const sum = new Map<string, bigint>();
  for (const namespace of namespaces.list()) {
    if (labelsOf(namespace)[TENANT_LABEL] !== tenant) continue;
    const quota = quotas.get(nameOf(namespace), GUARD_OBJECT) ?? {};
    for (const [resource, amount] of amounts(child(child(quota, 'status'), 'used'))) {
      sum.set(resource, (sum.get(resource) ?? 0n) + amount);
    }
  }
  return hardOf(sum);
}
