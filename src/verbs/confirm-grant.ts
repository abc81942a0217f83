/**
 * Before a role or binding is written: may its writer grant what it grants? Asked in tenant terms about the object as the
 * write would leave it.
 */
import type { JsonObject } from '../k8s/types.ts';
import type { Call, VerbDeps } from './call.ts';
import { readStored } from './read-merge-write.ts';

/** True for the kinds that grant something. */
export function isGrant({ info }: Pick<Call, 'info'>, { grants }: Pick<VerbDeps, 'grants'>): boolean {
  return info.subresource === '' && grants.applies(info);
}

/** @throws {ApiError} as the API server refuses it */
export async function confirmGrant(call: Call, deps: VerbDeps, object: JsonObject): Promise<void> {
  if (!isGrant(call, deps)) return;
  const { resource, namespace, name } = call.info;
  const previous = name === '' ? undefined : await readStored(call, deps);
  const write = { resource, namespace, name, object, previous };
  await deps.grants.check(call.tenant, call.identity, write, call.head.signal);
}
