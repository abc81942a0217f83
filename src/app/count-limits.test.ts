import { expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import type { ResourceKey } from '../kinds/kind.ts';
import type { PolicyLimits } from '../policy/policy.ts';
import type { TenantId } from '../tenancy/names.ts';
import { createCountLimits } from './count-limits.ts';

const of = (tenant: string): JsonObject => ({ metadata: { labels: { 'kubeveil.dev/tenant': tenant } } });
const LIMITS = { namespaces: 2, customResourceDefinitions: 1 } as PolicyLimits;
const limits = createCountLimits({
  namespaces: { list: () => [of('acme'), of('acme'), of('globex'), { metadata: {} }] },
  customResourceDefinitions: { list: () => [of('globex')] },
});

it.each<[tenant: string, kind: ResourceKey, refused: boolean]>([
  ['acme', '/namespaces', true],
  ['globex', '/namespaces', false],
  ['acme', 'apiextensions.k8s.io/customresourcedefinitions', false],
  ['globex', 'apiextensions.k8s.io/customresourcedefinitions', true],
  ['acme', '/configmaps', false],
])('%s may have one more of %s: refused %s', (tenant, kind, refused) => {
  const refusal = limits.refusal(tenant as TenantId, LIMITS, kind, 'x');
  expect(refusal !== undefined).toBe(refused);
});

it('counts what is the tenant’s', () => {
  expect(limits.count('acme' as TenantId, 'namespaces')).toBe(2);
  expect(limits.count('acme' as TenantId, 'customResourceDefinitions')).toBe(0);
});

it('says what there is, and what the limit is', () => {
  expect(limits.refusal('acme' as TenantId, LIMITS, '/namespaces', 'x')).toMatchObject({
    status: 403,
    message: 'namespaces "x" is forbidden: exceeded quota: this cluster has 2 of at most 2 namespaces',
  });
});
