/**
 * The only file that joins or splits tenant names and upstream names.
 *
 *   namespace   `web`                      <-> `acme--web`
 *   object      `reader` (cluster-scoped)  <-> `acme--reader`
 *   API group   `stable.example.com`       <-> `acme--stable.example.com`
 *
 * `--` may stand inside a DNS label but never in a tenant id, so the first `--` of an upstream name always ends the
 * id: `acme` and `acme-eu` cannot collide. The two kinds of name are different types; mixing them does not compile.
 *
 * @invariant toTenant(toUpstream(x)) = x, and names of two tenants never meet (names.test.ts).
 */

declare const brand: unique symbol;
/** The id of a tenant, such as `acme`: checked by {@link tenantIdProblem}. */
export type TenantId = string & { readonly [brand]: 'TenantId' };
/** A name as the tenant sees it. */
export type TenantName = string & { readonly [brand]: 'TenantName' };
/** A name as it is stored upstream. */
export type UpstreamName = string & { readonly [brand]: 'UpstreamName' };

const SEPARATOR = '--';
const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const TENANT_ID_MIN = 3;
const TENANT_ID_MAX = 20;
const RESERVED = new Set(['kube', 'kubernetes', 'kubeveil', 'default', 'system', 'host', 'admin']);

/** Why this text cannot be a tenant id, or undefined when it can. `alsoReserved` comes from the operator's policy. */
export function tenantIdProblem(text: string, alsoReserved: ReadonlySet<string> = new Set()): string | undefined {
  if (text.length < TENANT_ID_MIN || text.length > TENANT_ID_MAX) {
    return `must have ${TENANT_ID_MIN} to ${TENANT_ID_MAX} characters, has ${text.length}`;
  }
  if (!ID.test(text)) return 'must be lower-case letters, digits and single dashes, and start with a letter';
  if (RESERVED.has(text) || text.startsWith('kube-') || alsoReserved.has(text)) return 'is reserved';
  return undefined;
}

/** `acme` + `web` -> `acme--web`. */
export function toUpstreamName(tenant: TenantId, name: TenantName): UpstreamName {
  return `${tenant}${SEPARATOR}${name}` as UpstreamName;
}

/** `acme` + `acme--web` -> `web`; undefined when the name is not this tenant's. */
export function toTenantName(tenant: TenantId, name: UpstreamName): TenantName | undefined {
  const prefix = tenant.length + SEPARATOR.length;
  if (name.length <= prefix || !name.startsWith(tenant) || !name.startsWith(SEPARATOR, tenant.length)) return undefined;
  return name.slice(prefix) as TenantName;
}

/** The id before the first `--`, whether or not such a tenant lives; undefined when there is none. */
export function tenantOf(name: UpstreamName): TenantId | undefined {
  const at = name.indexOf(SEPARATOR);
  if (at <= 0 || at + SEPARATOR.length === name.length) return undefined;
  const id = name.slice(0, at);
  return ID.test(id) && id.length >= TENANT_ID_MIN && id.length <= TENANT_ID_MAX ? (id as TenantId) : undefined;
}

/** How many characters a tenant's prefix takes from a name: `acme--` is 6. */
export function prefixLength(tenant: TenantId): number {
  return tenant.length + SEPARATOR.length;
}

/**
 * How the names of one tenant are mapped. The production one is {@link tenantNames}; a test of the host's own wall
 * hands in one that maps nothing, to prove that the host then refuses.
 */
export interface TenantNames {
  readonly tenant: TenantId;
  up(name: TenantName): UpstreamName;
  down(name: UpstreamName): TenantName | undefined;
}

export function tenantNames(tenant: TenantId): TenantNames {
  return {
    tenant,
    up: (name) => toUpstreamName(tenant, name),
    down: (name) => toTenantName(tenant, name),
  };
}

/** Label that every namespace and cluster-scoped object of a tenant carries upstream: `kubeveil.dev/tenant: acme`. */
export const TENANT_LABEL = 'kubeveil.dev/tenant';
/** Labels, annotations and finalizers below this are the proxy's own: hidden from tenants and refused in what they write. */
export const OWN_PREFIX = 'kubeveil.dev/';
