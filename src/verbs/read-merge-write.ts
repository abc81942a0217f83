/**
 * A patch that cannot go upstream as one: read the object, apply the patch in tenant terms, write the whole with the
 * revision that was read, and again when somebody else was faster. The tenant sees one patch.
 */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { Call, VerbDeps } from './call.ts';
import { get } from './get.ts';

const TRIES = 5;

/**
 * @param apply gives the object as the patch leaves it; may change the one it is given
 * @param write updates with the body of the call it is given
 */
export async function readMergeWrite(
  call: Call,
  deps: VerbDeps,
  apply: (current: JsonObject) => JsonObject,
  write: (call: Call, deps: VerbDeps) => Promise<Reply>,
): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await get(asPlainGet(call, call.info.subresource), deps);
    if (current.kind !== 'object' || current.status !== 200) return current;
    const read = versionOf(current.object);
    const merged = apply(current.object);
    // A patch that names a revision itself holds for that one only.
    const asked = versionOf(merged);
    if (asked === '') metadataOf(merged)['resourceVersion'] = read;
    const body = { contentType: 'application/json', document: merged };
    const written = await write({ ...call, body }, deps).catch(asConflict);
    const isLast = !isConflict(written) || (asked !== '' && asked !== read) || attempt === TRIES;
    if (isLast && written instanceof ApiError) throw written;
    if (isLast) return written as Reply;
  }
}

function asConflict(error: unknown): ApiError {
  if (error instanceof ApiError && error.code === 'ERR_CONFLICT') return error;
  throw error;
}

function isConflict(written: Reply | ApiError): boolean {
  return written instanceof ApiError || (written.kind === 'object' && written.status === 409);
}

/** The object as it is stored, whole, in tenant terms; undefined when there is none. */
export async function readStored(call: Call, deps: VerbDeps): Promise<JsonObject | undefined> {
  const reply = await get(asPlainGet(call, ''), deps).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'ERR_NOT_FOUND') return undefined;
    throw error;
  });
  return reply?.kind === 'object' && reply.status === 200 && isObject(reply.object) ? reply.object : undefined;
}

function asPlainGet(call: Call, subresource: string): Call {
  return {
    ...call,
    accept: { ...call.accept, as: undefined },
    info: { ...call.info, verb: 'get', subresource, query: new Map() },
  };
}
