/**
 * An apply, and a PUT of some kinds, makes an object that is not there: that takes the right to create it besides. The
 * host knows one user for a whole tenant and cannot tell, so it is decided here.
 *
 * @see k8s.io/apiserver pkg/endpoints/handlers/update.go (withAuthorization) at v0.36
 */
import { uidOf } from '../k8s/meta.ts';
import { isCreatedByUpdate } from '../kinds/created-by-update.ts';
import { notTheirs } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { readStored } from './read-merge-write.ts';
import { standingObject } from './standing.ts';

/**
 * The uid of the object that the write must meet, where it may not make one; undefined where it may, or where the object
 * always is there.
 * @throws {ApiError} ERR_FORBIDDEN, or ERR_NOT_FOUND for a kind of which nothing is made this way
 */
export async function confirmCreation(call: Call, deps: VerbDeps): Promise<string | undefined> {
  if (call.info.subresource !== '') return undefined;
  const refusal = deps.creationRefusal(call);
  if (refusal === undefined) return undefined;
  if (standingObject(call, deps, call.info.name) !== undefined) return undefined;
  const stored = await readStored(call, deps);
  if (stored !== undefined) return uidOf(stored);
  throw call.info.verb === 'update' && !isCreatedByUpdate(call.at.kind) ? notTheirs(call) : refusal;
}
