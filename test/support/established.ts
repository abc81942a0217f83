/** Waits for a definition as a careful client does. */
import type { TenantClient } from './as-tenant.ts';
import { eventually } from './processes.ts';

/**
 * Resolves when the tenant's CustomResourceDefinition is established. `kubectl wait` would not do: it takes a definition
 * that has no conditions yet, as each has none at first, for broken.
 */
export async function whenEstablished(tenant: TenantClient, definition: string): Promise<void> {
  await eventually(`${definition} is established`, async () => {
    const { status } = await tenant.get(`crd ${definition}`);
    const conditions: { type: string; status: string }[] = status?.conditions ?? [];
    return conditions.some((one) => one.type === 'Established' && one.status === 'True');
  });
}
