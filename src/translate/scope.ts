/**
 * For whom names are mapped, and what this exchange has mapped so far.
 *
 * A scope belongs to one exchange: it is made per request, and again per connection for a watch.
 */
import type { KindRegistry, ResourceKey } from '../kinds/kind.ts';
import type { HostGuards } from '../tenancy/host-guards.ts';
import type { TenantId, TenantName, TenantNames } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { Renames } from './renames.ts';

export interface Scope {
  readonly names: TenantNames;
  readonly tenant: Tenant;
  readonly kinds: KindRegistry;
  /** True when the tenant has a namespace of this name. */
  isOwnNamespace(namespace: TenantName): boolean;
  /** True when the tenant has a CRD of this group: controllers write it into messages. */
  isOwnGroup?(group: string): boolean;
  readonly renames: Renames;
  /** The user as the tenant knows them: stands in error texts where upstream names the impersonated user. */
  readonly username?: string;
  /** True when the tenant has a class or volume of its own of this name: controllers write it into messages. */
  holds?(name: string): boolean;
  /** Of a kind that is `chosen` or `mixed`: see HostNames in ports.ts. */
  namesHost(of: ResourceKey, name: string): boolean;
  /** What the tenant's policy has each namespace of it say, which the tenant does not write. */
  guards?(): HostGuards;
  /** True when a tenant of this id lives. Without it every text of the form `id--name` counts as some tenant's. */
  isTenant?(id: TenantId): boolean;
}
