/**
 * What a virtual kind needs before it is written, since upstream stores it as a custom resource: the kind's defaults, the
 * checks that no schema says, and strategic merge patch. All in tenant terms.
 */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { VirtualBehaviour } from '../ports.ts';
import type { Call, Host } from './call.ts';
import { get } from './get.ts';

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

/** The object as it is stored, whole, in tenant terms; undefined when there is none. */
export async function stored(call: Call, host: Host): Promise<JsonObject | undefined> {
  const reply = await get(whole(call), host).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'ERR_NOT_FOUND') return undefined;
    throw error;
  });
  return reply?.kind === 'object' && reply.status === 200 ? reply.object : undefined;
}

/** The same request as a plain GET of the object. */
function whole(call: Call): Call {
  return {
    ...call,
    accept: { ...call.accept, as: undefined },
    info: { ...call.info, verb: 'get', subresource: '', query: new Map() },
  };
}

const TRIES = 5;

/**
 * Strategic merge patch: read, merge by the kind's own schema, write with the revision that was read, and again when
 * somebody else was faster. The tenant sees one patch.
 */
export async function patchStrategic(call: Call, host: Host, write: (call: Call) => Promise<Reply>): Promise<Reply> {
  const document = call.body?.document;
  if (!isObject(document)) throw new ApiError('ERR_BAD_REQUEST', 'a strategic merge patch must be an object');
  for (let attempt = 1; ; attempt += 1) {
    const current = await get(whole(call), host);
    if (current.kind !== 'object' || current.status !== 200) return current;
    const merged = behaviourOf(call, host)?.strategicMerge(current.object, document) ?? current.object;
    const asked = isObject(document['metadata']) ? document['metadata']['resourceVersion'] : undefined;
    if (asked === undefined) metadataOf(merged)['resourceVersion'] = versionOf(current.object);
    const written = await write({ ...call, body: { contentType: 'application/json', document: merged } });
    const conflict = written.kind === 'object' && written.status === 409;
    if (!conflict || asked !== undefined || attempt === TRIES) return written;
  }
}
