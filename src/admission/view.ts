/**
 * Stored configurations of admission in their tenant's terms. What they say counts whatever kinds a policy file offers,
 * so they are taken from the table itself.
 */
import { cloneJson } from '../codec/json.ts';
import { metadataOf } from '../k8s/meta.ts';
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

/**
 * What admission goes by. Owners, and what was written and by whom, may name kinds that only the tenant's policy tells;
 * nothing of them counts, and a configuration that could not be read for them would not be enforced.
 */
function ofConcern(object: JsonObject): JsonObject {
  const {
    ownerReferences: _owners,
    managedFields: _fields,
    annotations: _annotations,
    ...metadata
  } = metadataOf(object);
  return { ...cloneJson(object), metadata: cloneJson(metadata) };
}

/** An object that is not its tenant's throws. */
export function createConfigurationView(kinds: KindRegistry): ConfigurationView {
  const rows = new Map<Followed, KindAtVersion>();
  return (id, resource, object) => {
    const kind = kindOf(GROUP, resource);
    if (kind === undefined) return undefined;
    const at = rows.get(resource) ?? rowAt(kind, 'virtual', VIRTUAL_VERSION);
    rows.set(resource, at);
    return toTenant(ofConcern(object), at, scopeOfStored(id, kinds));
  };
}
