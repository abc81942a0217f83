/**
 * The impersonation stage: a request that asks to be somebody else becomes theirs, if its sender may be them in this
 * tenant. Nothing of the sender's own groups, uid or extra is left in who it becomes; who really asked is kept for the
 * audit. All of it stays inside the tenant: upstream every user of a tenant is the same one.
 *
 * As kube-apiserver 1.36: the constrained modes first (`impersonate:user-info` and the like, together with
 * `impersonate-on:user-info:<verb>` of what is asked), then the right to `impersonate` each part. The refusal is that of
 * the first mode that could apply. Other than there, a header `Impersonate-` that means nothing is refused.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 * @see k8s.io/apiserver pkg/endpoints/filters/impersonation at v0.36
 */
import { ApiError } from '../errors.ts';
import type { Identity, RequestInfo } from '../exchange.ts';
import type { Authorizer } from '../ports.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { attributesOf } from './attributes.ts';
import { IMPERSONATION_MODES, type Wanted } from './impersonation-modes.ts';

const EXTRA = 'impersonate-extra-';
const SINGLE = new Set(['impersonate-user', 'impersonate-uid']);
const UNAUTHENTICATED = 'system:unauthenticated';
const AUTHENTICATED = 'system:authenticated';

/**
 * Who the request is from: its sender, or whom its sender may be.
 * @param headers `Impersonate-*` as they were sent, lower-case names
 * @throws {ApiError} ERR_FORBIDDEN, ERR_BAD_REQUEST; ERR_UNAVAILABLE while the tenant's roles are not known
 */
export function impersonate(
  authorizer: Authorizer,
  tenant: Tenant,
  sender: Identity,
  headers: ReadonlyMap<string, readonly string[]>,
  info: RequestInfo,
): Identity {
  if (headers.size === 0) return sender;
  const wanted = readWanted(headers);
  const attributes = attributesOf(info);
  let refusal: ApiError | undefined;
  for (const mode of IMPERSONATION_MODES) {
    if (!mode.applies(wanted, sender)) continue;
    const refused = mode.refusal(wanted, sender, attributes, (asked) => authorizer.decide(tenant, sender, asked));
    if (refused === undefined) return become(wanted, mode.groups(wanted), sender);
    refusal ??= refused;
  }
  throw refusal ?? new ApiError('ERR_FORBIDDEN', 'impersonation is not possible here', { why: 'impersonation' });
}

function become(wanted: Wanted, groups: readonly string[], sender: Identity): Identity {
  const { username, uid, extra } = wanted;
  const { impersonator: _nobody, ...by } = sender;
  const isAnonymous = username === 'system:anonymous';
  const implicit = isAnonymous || groups.includes(UNAUTHENTICATED) ? UNAUTHENTICATED : AUTHENTICATED;
  const all = groups.includes(implicit) ? groups : [...groups, implicit];
  return { username, groups: all, uid, extra, impersonator: by };
}

function readWanted(headers: ReadonlyMap<string, readonly string[]>): Wanted {
  const extra = new Map<string, string[]>();
  for (const [name, values] of headers) {
    if (name.startsWith(EXTRA)) {
      const key = unescaped(name.slice(EXTRA.length).toLowerCase());
      extra.set(key, [...(extra.get(key) ?? []), ...values]);
    } else if (name !== 'impersonate-group' && !SINGLE.has(name)) {
      throw refused(`there is no impersonation by a header ${name}`);
    } else if (SINGLE.has(name) && values.length > 1) throw refused(`the request has more than one ${name} header`);
  }
  const [username = ''] = headers.get('impersonate-user') ?? [];
  const [uid = ''] = headers.get('impersonate-uid') ?? [];
  const groups = headers.get('impersonate-group') ?? [];
  if (username === '') throw refused('the request asks for groups, a uid or extra without impersonating a user name');
  return { username, uid, groups, extra: Object.fromEntries(extra) };
}

/** A key that is not well escaped is taken as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function refused(message: string): ApiError {
  return new ApiError('ERR_BAD_REQUEST', message, { why: 'impersonation' });
}
