/**
 * Stored configurations of admission in their tenant's terms. What they say counts whatever kinds a policy file offers,
 * so they are taken from the table itself.
 */
import { cloneJson } from '../codec/json.ts';
import type { JsonObject } from '../k8s/types.ts';
import { rowAt } from '../kinds/at-version.ts';
import { type KindAtVersion, type KindRegistry, VIRTUAL_VERSION } from '../kinds/kind.ts';
import { kindOf } from '../kinds/table.ts';
import type { TenantId } from '../tenancy/names.ts';
import { toTenant } from '../translate/object.ts';
import { scopeOfStored } from '../translate/stored-scope.ts';
import type { Followed } from './store.ts';

const GROUP = 'admissionregistration.k8s.io';

export type ConfigurationView = (tenant: TenantId, resource: Followed, object: JsonObject) => JsonObject | undefined;

/** An object that is not its tenant's throws. */
export function createConfigurationView(kinds: KindRegistry): ConfigurationView {
  const rows = new Map<Followed, KindAtVersion>();
  return (id, resource, object) => {
    const kind = kindOf(GROUP, resource);
    if (kind === undefined) return undefined;
    const at = rows.get(resource) ?? rowAt(kind, 'virtual', VIRTUAL_VERSION);
    rows.set(resource, at);
    return toTenant(cloneJson(object), at, scopeOfStored(id, kinds));
  };
}
