/**
 * How many namespaces and CustomResourceDefinitions a tenant may have. Both are followed, so counting asks nobody; requests
 * that come at the same moment may go past the limit by as many.
 */
import { ApiError } from '../errors.ts';
import type { Informer } from '../k8s/informer.ts';
import { labelsOf } from '../k8s/meta.ts';
import type { ResourceKey } from '../kinds/kind.ts';
import type { PolicyLimits } from '../policy/policy.ts';
import { TENANT_LABEL, type TenantId } from '../tenancy/names.ts';

const COUNTED: ReadonlyMap<ResourceKey, Counted> = new Map([
  ['/namespaces', 'namespaces'],
  ['apiextensions.k8s.io/customresourcedefinitions', 'customResourceDefinitions'],
]);

type Counted = 'namespaces' | 'customResourceDefinitions';

export interface CountLimits {
  /** How many the tenant has. */
  count(tenant: TenantId, of: Counted): number;
  /** Why the tenant may not have one more of this kind; undefined when it may. */
  refusal(tenant: TenantId, limits: PolicyLimits, of: ResourceKey, name: string): ApiError | undefined;
}

export function createCountLimits(informers: Readonly<Record<Counted, Pick<Informer, 'list'>>>): CountLimits {
  function count(tenant: TenantId, of: Counted): number {
    let found = 0;
    for (const object of informers[of].list()) if (labelsOf(object)[TENANT_LABEL] === tenant) found += 1;
    return found;
  }

  return {
    count,
    refusal(tenant, limits, of, name) {
      const counted = COUNTED.get(of);
      if (counted === undefined) return undefined;
      const most = limits[counted];
      const has = count(tenant, counted);
      if (has < most) return undefined;
      const [group, resource = ''] = of.split('/');
      const what = group === '' ? resource : `${resource}.${group}`;
      return new ApiError(
        'ERR_FORBIDDEN',
        `${what} ${JSON.stringify(name)} is forbidden: exceeded quota: this cluster has ${has} of at most ${most} ${resource}`,
        {
          details: { name, kind: resource, ...(group === '' ? {} : { group: group ?? '' }) },
          why: `quota-${resource}`,
        },
      );
    },
  };
}
