/**
 * The impersonation headers of a request: one user and two groups per tenant, whatever the caller is called, so that the
 * host sees one flow a tenant and holds rights for one subject. Who really asked travels as `extra`, for the host's audit.
 *
 * The reader and the provisioner impersonate nobody.
 */
import type { UpstreamIdentity } from '../ports.ts';
import { upstreamGroups, upstreamUser } from '../tenancy/host-names.ts';

/** More than this of the caller's groups is not told to the host: headers have a size. */
const EXTRA_BYTES = 4_096;

/** A flat list of names and values. */
export function identityHeaders(identity: UpstreamIdentity): string[] {
  if (identity.as !== 'tenant') return [];
  const headers = ['impersonate-user', upstreamUser(identity.tenant)];
  for (const group of upstreamGroups(identity.tenant)) headers.push('impersonate-group', group);
  headers.push(...extra('user', [identity.user.username]), ...extra('groups', identity.user.groups));
  if (identity.user.uid !== '') headers.push(...extra('uid', [identity.user.uid]));
  return headers;
}

function extra(key: string, values: readonly string[]): string[] {
  const headers: string[] = [];
  let bytes = 0;
  for (const value of values) {
    // A header holds printable ASCII only; anything else is escaped rather than trusted.
    const safe = value.replace(/[^\x20-\x7e]|%/g, (char) => encodeURIComponent(char));
    bytes += safe.length;
    if (bytes > EXTRA_BYTES) break;
    headers.push(`impersonate-extra-kubeveil.dev%2F${key}`, safe);
  }
  return headers;
}
