/**
 * The impersonation headers of a request: one user and two groups per tenant, whatever the caller is called, so that the
 * host sees one flow a tenant and holds rights for one subject. Who really asked travels as `extra`, for the host's audit.
 *
 * The reader and the provisioner impersonate nobody, but for the question how the host would refuse it.
 */
import type { UpstreamIdentity } from '../ports.ts';
import { type IDENTITY_EXTRAS, NOBODY, upstreamGroups, upstreamUser } from '../tenancy/host-names.ts';

/** More of one value than this is not told to the host: headers have a size. */
const EXTRA_CHARS = 4_096;

/** A flat list of names and values. */
export function identityHeaders(identity: UpstreamIdentity): string[] {
  if (identity.as === 'nobody') return ['impersonate-user', upstreamUser(NOBODY)];
  if (identity.as !== 'tenant') return [];
  const { username, groups, uid, impersonator } = identity.user;
  const headers = ['impersonate-user', upstreamUser(identity.tenant)];
  for (const group of upstreamGroups(identity.tenant, identity.trusted)) headers.push('impersonate-group', group);
  headers.push(...extra('user', escaped(username)), ...extra('uid', escaped(uid)));
  // One value for all groups: each value of an extra costs the host an authorization check.
  headers.push(...extra('groups', groups.map(escaped).join(',')));
  if (impersonator !== undefined) headers.push(...extra('impersonator', escaped(impersonator.username)));
  return headers;
}

/** The host refuses an extra without a value. */
function extra(key: (typeof IDENTITY_EXTRAS)[number], value: string): string[] {
  return value === '' ? [] : [`impersonate-extra-kubeveil.dev%2F${key}`, value.slice(0, EXTRA_CHARS)];
}

/** A header holds printable ASCII only, and groups are told apart by commas: all else is escaped as in a URL. */
function escaped(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]|[%,]/gu, (char) => `%${[...Buffer.from(char)].map(hex).join('%')}`);
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}
