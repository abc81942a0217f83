/**
 * Names of CRDs: `foos.stable.example.com` <-> `foos.acme--stable.example.com`. Always with the prefix, also for a
 * group of the host, so that a tenant can never name a CRD of the host.
 */
import type { TenantName, UpstreamName } from '../../tenancy/names.ts';
import type { Scope } from '../scope.ts';

export function crdNameToUpstream(name: TenantName, scope: Scope): UpstreamName {
  const dot = name.indexOf('.');
  // No CRD is called so, but the name must not be anybody else's object either.
  if (dot < 0) return scope.names.up(name);
  const group = name.slice(dot + 1);
  const upstream = scope.names.up(group as TenantName);
  scope.renames.note(upstream, group);
  return `${name.slice(0, dot)}.${upstream}` as UpstreamName;
}

/** Undefined when its group is not this tenant's. */
export function crdNameToTenant(name: UpstreamName, scope: Scope): TenantName | undefined {
  const dot = name.indexOf('.');
  const group = dot < 0 ? undefined : scope.names.down(name.slice(dot + 1) as UpstreamName);
  return group === undefined ? undefined : (`${name.slice(0, dot)}.${group}` as TenantName);
}
