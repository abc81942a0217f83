/**
 * Mixed kinds: a tenant's own objects and the host's published ones are one collection to the tenant. A request that names
 * one object is served as if the kind were native or published, by whose the name is; what makes or deletes many meets the
 * tenant's own alone. Only a list or watch of the whole is served as mixed.
 */
import { ApiError, alreadyExists } from '../errors.ts';
import { hostSide, ownSide } from '../kinds/at-version.ts';
import { namesHost } from '../translate/names-check.ts';
import { notTheirs } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';

/** The call with its kind as it is for the object that it names. A call of a kind that is not mixed stays. */
export function onItsSide(call: Call): Call {
  const { at, info, scope } = call;
  if (at.class !== 'mixed' || info.verb === 'list' || info.verb === 'watch') return call;
  const isHosts = info.name !== '' && namesHost(info.name, at, scope);
  return { ...call, at: isHosts ? hostSide(at) : ownSide(at) };
}

/**
 * An object of the host that the tenant sees has taken its name.
 * @throws {ApiError} ERR_ALREADY_EXISTS
 */
export function refuseHostsName(call: Call, deps: VerbDeps, name: string): void {
  const { at, info, scope } = call;
  if (at.kind.published === undefined || name === '' || !namesHost(name, at, scope)) return;
  if (deps.isPublished(call, name)) throw alreadyExists({ group: info.group, what: info.resource, name });
  throw new ApiError('ERR_FORBIDDEN', `${JSON.stringify(name)} is the default of this cluster; choose another name`);
}

/** The refusal of a write to what is the host's: of a name that the tenant does not see, as if nothing had it. */
export function notWritable(call: Call, deps: VerbDeps): ApiError {
  const { group, resource, name } = call.info;
  if (!deps.isPublished(call, name)) return notTheirs(call);
  const what = `${group === '' ? resource : `${resource}.${group}`} ${JSON.stringify(name)}`;
  const details = { ...(group === '' ? {} : { group }), kind: resource, name };
  return new ApiError('ERR_FORBIDDEN', `${what} is forbidden: it belongs to the operator of this cluster`, { details });
}
