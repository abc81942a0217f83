/** A tenant as the request path knows it: what the Tenant object on the host says, parsed. */
import type { TenantId, TenantName } from './names.ts';

export interface Tenant {
  readonly id: TenantId;
  /** `metadata.uid` of the Tenant object. Never used twice, so credentials, tokens and cache keys carry it. */
  readonly uid: string;
  /** RFC 3339, seconds. */
  readonly createdAt: string;
  /** `Active` tenants are served; anything else is refused. */
  readonly phase: 'Pending' | 'Active' | 'Suspended' | 'Terminating';
  /** PEM of the CA that signs this tenant's client certificates. */
  readonly clientCaPem: string;
  /** Name of the policy file, without its ending. */
  readonly policy: string;
  /** Groups of the identity provider whose members administer this tenant. */
  readonly administratorGroups?: readonly string[];
  /** Serial numbers of client certificates that count no more, as {@link certificateSerial} writes them. */
  readonly revokedCertificates?: ReadonlySet<string>;
}

/** `0A:BC` -> `abc`: one way of writing a serial number. Undefined for what is none. */
export function certificateSerial(text: string): string | undefined {
  const digits = text.replaceAll(':', '').toLowerCase();
  return /^[0-9a-f]+$/.test(digits) ? digits.replace(/^0+(?=.)/, '') : undefined;
}

/** Namespaces that every cluster has from its start. All but `default` are made upstream at the first write. */
export const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'] as TenantName[];

/** The audience of this tenant's service-account tokens: `kubeveil.dev/<uid>`; never the host API's. */
export function tokenAudience(tenant: Pick<Tenant, 'uid'>): string {
  return `kubeveil.dev/${tenant.uid}`;
}

/** On each namespace of a tenant, next to its label: the uid of the Tenant that it was made for. The host keeps it as it is. */
export const TENANT_UID_ANNOTATION = 'kubeveil.dev/tenant-uid';
