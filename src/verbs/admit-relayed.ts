/**
 * Objects that the host's controllers make for a tenant, met by the tenant's own admission: the API server asks before it
 * stores them. They are written by nobody of the tenant, so the walls for what tenants write do not see them; what a
 * tenant's admission makes of one is therefore first tried as a write of the tenant's own, with nothing stored.
 */
import { cloneJson } from '../codec/json.ts';
import { nameOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { toUpstream } from '../translate/object.ts';
import { subjectOf } from './admission-subject.ts';
import { objectOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { create } from './create.ts';
import { lenient, type ObjectReply, rehearse, succeeded } from './rehearsal.ts';

export type Relayed =
  /** As it is to be stored, in upstream terms; undefined when it stays as it is. */
  | { readonly object: JsonObject | undefined }
  /** A Status, in the tenant's terms. */
  | { readonly refused: JsonObject };

/** @param call the creation, in the tenant's terms @throws {ApiError} when the tenant's admission refuses it */
export async function admitRelayed(call: Call, deps: VerbDeps): Promise<Relayed> {
  const shown = objectOf(call);
  const round = deps.admission(subjectOf(call, deps, 'CREATE', nameOf(shown)));
  const mutated = round?.mutates === true ? await round.mutate(shown, undefined) : shown;
  if (mutated === shown) {
    await round?.validate(shown, undefined);
    return { object: undefined };
  }
  const body = { contentType: 'application/json', document: mutated };
  const trial = await rehearse(lenient({ ...call, body }), deps, create);
  // A creation is answered with an object, or a Status.
  const { object: made } = trial as ObjectReply;
  if (!succeeded(trial)) return { refused: made };
  await round?.validate(made, undefined);
  return { object: toUpstream(cloneJson(mutated), call.at, call.scope) };
}
