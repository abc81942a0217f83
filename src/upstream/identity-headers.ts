/**
 * The impersonation headers of a request: one user and two groups per tenant, whatever the caller is called, so that the
 * host sees one flow a tenant and holds rights for one subject. Who really asked travels as `extra`, for the host's audit.
 *
 * The reader and the provisioner impersonate nobody, but for the question how the host would refuse it.
 */
import type { UpstreamIdentity } from '../ports.ts';
import {
  CONTROLLER_USER,
  type IDENTITY_EXTRAS,
  NOBODY,
  OWN_NAME_PREFIX,
  upstreamGroups,
  upstreamUser,
} from '../tenancy/host-names.ts';

/** More of one value than this is not told to the host: headers have a size. */
const EXTRA_CHARS = 4_096;

/** A flat list of names and values. */
export function identityHeaders(identity: UpstreamIdentity): string[] {
  if (identity.as === 'nobody') return ['impersonate-user', upstreamUser(NOBODY)];
  if (identity.as !== 'tenant') return [];
  const headers = ['impersonate-user', upstreamUser(identity.tenant)];
  for (const group of upstreamGroups(identity.tenant, identity.trusted)) headers.push('impersonate-group', group);
  if (identity.user === 'controllers') return [...headers, ...extra('user', CONTROLLER_USER)];
  const { username, groups, uid, impersonator } = identity.user;
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

/**
 * A header holds printable ASCII only, and groups are told apart by commas: all else is escaped as in a URL. So is the
 * beginning of names of the proxy's own, by which policies of the host know its controllers.
 */
function escaped(text: string): string {
  const own = text.startsWith(OWN_NAME_PREFIX) ? hexed(text.slice(0, 1)) : '';
  const rest = text.slice(own === '' ? 0 : 1);
  return own + rest.toWellFormed().replace(/[^\x20-\x7e]|[%,]/gu, hexed);
}

function hexed(char: string): string {
  return `%${[...Buffer.from(char)].map(hex).join('%')}`;
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}
