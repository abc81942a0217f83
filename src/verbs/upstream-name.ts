/** The upstream name of the object that a request names. */
import { ApiError } from '../errors.ts';
import type { TenantName } from '../tenancy/names.ts';
import { nameToUpstream } from '../translate/names-check.ts';
import { notFound } from './answer.ts';
import type { Call } from './call.ts';

/** Names of objects of ours in a tenant's namespace, such as `kubeveil:guard`: to the tenant there is no such object. */
const OWN = 'kubeveil:';

/** @throws {ApiError} ERR_NOT_FOUND for a name that only objects of ours have. */
export function upstreamNameOf(call: Call): string {
  const { name } = call.info;
  if (name === '') throw new ApiError('ERR_BAD_REQUEST', 'name must be provided');
  if (call.at.kind.namespaced && name.startsWith(OWN)) throw notFound(call);
  return nameToUpstream(name as TenantName, call.at, call.scope);
}
