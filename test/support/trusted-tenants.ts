/** Two tenants under the policy `trusted`, beside those of the product: their ids are words that nothing else holds. */
import { join } from 'node:path';
import { inject } from 'vitest';
import { TenantClient } from './as-tenant.ts';
import { cli } from './cli.ts';
import { makeTenant, type TenantFacts } from './product.ts';
import { CANARY } from './seed-words.ts';

export interface TrustedTenants {
  readonly holder: TenantClient;
  readonly rival: TenantClient;
  /** Removes one of them, and waits until nothing of it is left. */
  remove(tenant: TenantClient): Promise<void>;
}

export async function makeTrustedTenants(): Promise<TrustedTenants> {
  const controlPlane = inject('controlPlane');
  const product = inject('product');
  const [holder, rival] = (await Promise.all(
    ['holdax', 'rivalo'].map((id) =>
      makeTenant(controlPlane, id, join(controlPlane.workDir, `${id}.kubeconfig`), 'trusted'),
    ),
  )) as [TenantFacts, TenantFacts];
  const { acme, globex } = product;
  const others = (own: TenantFacts) => [acme, globex, holder, rival].filter(({ id }) => id !== own.id);
  const client = (own: TenantFacts) =>
    new TenantClient(product, own, [CANARY, ...others(own).flatMap(({ id, uid }) => [id, uid])]);
  return {
    holder: client(holder),
    rival: client(rival),
    async remove({ id }) {
      await cli(['tenant', 'delete', id, '--kubeconfig', controlPlane.adminKubeconfigPath]);
    },
  };
}
