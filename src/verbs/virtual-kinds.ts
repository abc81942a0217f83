/**
 * What a virtual kind needs before it is written, since upstream stores it as a custom resource: the kind's defaults, the
 * checks that no schema says. In tenant terms.
 */
import { conflict } from '../errors.ts';
import { versionOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { VirtualBehaviour, VirtualWrite } from '../ports.ts';
import { notTheirs } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { confirmParams } from './param-access.ts';
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
  const previous = isUpdate ? await readStored(call, deps) : undefined;
  if (behaviour.prepares && isUpdate) mustBeThat(call, complete, previous);
  behaviour.prepare(complete, writeOf(call, previous));
  checkVirtual(call, deps, behaviour, complete, previous);
  await confirmParams(call, deps, complete, previous);
  return complete;
}

/** @throws {ApiError} where the native kind would not be written so */
export function checkVirtual(
  call: Call,
  deps: VerbDeps,
  behaviour: VirtualBehaviour,
  object: JsonObject,
  previous: JsonObject | undefined,
): void {
  behaviour.validate(object, previous, call.info.subresource);
  behaviour.admit(object, writeOf(call, previous), (attributes) => deps.allows(call, attributes));
}

/** @param isPatch of an apply patch, not of a whole object */
export function writeOf({ info, identity }: Call, previous: JsonObject | undefined, isPatch = false): VirtualWrite {
  return { previous, subresource: info.subresource, isPatch, caller: identity, nowMs: Date.now() };
}

/**
 * What is checked against one state must not be written to another.
 * @throws {ApiError} ERR_NOT_FOUND or ERR_CONFLICT, as upstream would answer
 */
function mustBeThat(call: Call, object: JsonObject, previous: JsonObject | undefined): void {
  if (previous === undefined) throw notTheirs(call);
  const { group, resource: what, name } = call.info;
  const version = versionOf(object);
  if (version === '' || version === versionOf(previous)) return;
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  throw conflict({ group, what, name }, why);
}
