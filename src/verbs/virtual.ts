/**
 * What a virtual kind needs before it is written, since upstream stores it as a custom resource: the kind's defaults, the
 * checks that no schema says. In tenant terms.
 */
import type { JsonObject } from '../k8s/types.ts';
import type { VirtualBehaviour } from '../ports.ts';
import type { Call, Host } from './call.ts';
import { stored } from './read-merge-write.ts';

/** The behaviour of the call's kind; undefined for a kind that is not virtual. */
export function behaviourOf(call: Call, host: Host): VirtualBehaviour | undefined {
  if (call.at.class !== 'virtual') return undefined;
  const behaviour = host.virtual(call.info.group, call.info.resource);
  if (behaviour === undefined)
    throw new Error(`virtual kind ${call.info.resource}.${call.info.group} has no behaviour`);
  return behaviour;
}

/** The object with its defaults, checked. `previous` is read where it is needed. */
export async function prepared(call: Call, host: Host, object: JsonObject, isUpdate: boolean): Promise<JsonObject> {
  const behaviour = behaviourOf(call, host);
  if (behaviour === undefined) return object;
  const complete = behaviour.withDefaults(object);
  behaviour.validate(complete, isUpdate ? await stored(call, host) : undefined);
  return complete;
}
