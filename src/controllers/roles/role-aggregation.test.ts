import { describe, expect, it } from 'vitest';
import type { InformerEvent } from '../../k8s/informer.ts';
import type { PolicyRule } from '../../k8s/rbac.ts';
import type { JsonObject } from '../../k8s/types.ts';
import type { TenantId } from '../../tenancy/names.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { startRoleAggregation } from './role-aggregation.ts';

const acme = { id: 'acme' as TenantId, phase: 'Active' } as Tenant;
const RULE: PolicyRule = {
  verbs: ['get'],
  apiGroups: [''],
  resources: ['pods'],
  resourceNames: [],
  nonResourceURLs: [],
};

/** Resolves with the first writes, once there is nothing left to do. */
async function run(roles: { name: string; rules: PolicyRule[]; stored: PolicyRule[] }[], tenant = acme, failures = 0) {
  const written: [string, JsonObject[]][] = [];
  const faults: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let tell: (event: InformerEvent) => void = () => {};
  let left = failures;
  const looked = () => {
    if (roles.every(({ rules, stored }) => rules.length === stored.length) || tenant.phase !== 'Active') resolve();
  };
  const controller = startRoleAggregation({
    clusterRoles: {
      subscribe(listener) {
        tell = listener;
        return () => {};
      },
    },
    tenants: {
      get() {
        queueMicrotask(looked);
        return tenant;
      },
    },
    aggregated: () => roles,
    async store(_tenant, name, rules) {
      left -= 1;
      if (left >= 0) throw new Error('conflict');
      written.push([name, rules]);
      const role = roles.find((one) => one.name === name);
      if (role !== undefined) role.stored = role.rules;
      looked();
    },
    onError: (what) => faults.push(what),
  });
  tell({ type: 'added', object: { metadata: { name: 'acme--x' } } });
  await promise;
  await controller.stop();
  return { written, faults };
}

describe('aggregated roles', () => {
  it('are written where they store other rules than they gather, and only there', async () => {
    const { written } = await run([
      { name: 'same', rules: [RULE], stored: [RULE] },
      { name: 'other', rules: [RULE], stored: [] },
    ]);
    expect(written).toEqual([['other', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]]]);
  });

  it('are tried again when somebody else was faster', async () => {
    const { written, faults } = await run([{ name: 'other', rules: [RULE], stored: [] }], acme, 1);
    expect(written).toHaveLength(1);
    expect(faults).toEqual(['the aggregated roles of tenant acme']);
  });

  it('of a tenant that is not in service are left alone', async () => {
    const { written } = await run([{ name: 'other', rules: [RULE], stored: [] }], { ...acme, phase: 'Suspended' });
    expect(written).toEqual([]);
  });
});
