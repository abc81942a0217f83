/**
 * What a virtual kind needs before it is written, since upstream stores it as a custom resource: the kind's defaults, the
 * checks that no schema says. In tenant terms.
 */
import type { JsonObject } from '../k8s/types.ts';
import type { VirtualBehaviour } from '../ports.ts';
import type { Call, VerbDeps } from './call.ts';
import { readStored } from './read-merge-write.ts';

/** The behaviour of the call's kind; undefined for a kind that is not virtual. */
export function behaviourOf(call: Call, deps: VerbDeps): VirtualBehaviour | undefined {
  if (call.at.class !== 'virtual') return undefined;
  const behaviour = deps.virtual(call.info.group, call.info.resource);
  if (behaviour === undefined)
    throw new Error(`virtual kind ${call.info.resource}.${call.info.group} has no behaviour`);
  return behaviour;
}

/** The object with its defaults, checked. The one that is stored is read where it is needed. */
export async function completeVirtual(
  call: Call,
  deps: VerbDeps,
  object: JsonObject,
  isUpdate: boolean,
): Promise<JsonObject> {
  const behaviour = behaviourOf(call, deps);
  if (behaviour === undefined) return object;
  const complete = behaviour.withDefaults(object);
  behaviour.validate(complete, isUpdate ? await readStored(call, deps) : undefined, call.info.subresource);
  return complete;
}
