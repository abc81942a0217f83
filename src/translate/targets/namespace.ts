/** Namespaces: `web` <-> `acme--web`. The empty text, which stands for none or all, stays. */
import type { JsonValue } from '../../k8s/types.ts';
import type { TenantName, UpstreamName } from '../../tenancy/names.ts';
import { NotOurs } from '../not-ours.ts';
import type { Scope } from '../scope.ts';

export function namespaceToUpstream(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value !== 'string' || value === '') return value;
  const upstream = scope.names.up(value as TenantName);
  scope.renames.note(upstream, value);
  return upstream;
}

/** @throws {NotOurs} for a namespace of somebody else */
export function namespaceToTenant(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value !== 'string' || value === '') return value;
  const name = scope.names.down(value as UpstreamName);
  if (name === undefined) throw new NotOurs(`namespace ${JSON.stringify(value)} is not of ${scope.tenant.id}`);
  return name;
}
