/** The upstream name of the object that a request names. */
import { ApiError } from '../errors.ts';
import { GUARD_OBJECT, OWN_NAME_PREFIX } from '../tenancy/host-names.ts';
import type { TenantName } from '../tenancy/names.ts';
import { nameToUpstream } from '../translate/names-check.ts';
import { notTheirs } from './answer.ts';
import type { Call } from './call.ts';
import { isGuarded } from './route.ts';

/** @throws {ApiError} ERR_NOT_FOUND for a name that only objects of ours have, such as `kubeveil:guard`, `kubeveil.dev` */
export function upstreamNameOf(call: Call): string {
  const { name } = call.info;
  if (name === '') throw new ApiError('ERR_BAD_REQUEST', 'name must be provided');
  if (call.at.kind.namespaced && name.startsWith(OWN_NAME_PREFIX)) throw notTheirs(call);
  if (isGuarded(call) && (name === GUARD_OBJECT || name.startsWith(`${GUARD_OBJECT}.`))) throw notTheirs(call);
  return nameToUpstream(name as TenantName, call.at, call.scope);
}
