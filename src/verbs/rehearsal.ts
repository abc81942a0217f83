/** Dry runs of writes, and the objects that admission is shown. */
import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { isStatus } from '../k8s/shapes.ts';
import type { JsonObject } from '../k8s/types.ts';
import { warningHeaders } from '../lib/warning-header.ts';
import type { AdmissionRound, FillIn } from '../ports.ts';
import type { Call, VerbDeps } from './call.ts';

export type ObjectReply = Extract<Reply, { kind: 'object' }>;

/** The write with nothing stored: the whole object as the host would have it, or the host's refusal. */
export async function rehearse(
  call: Call,
  deps: VerbDeps,
  write: (call: Call, deps: VerbDeps) => Promise<Reply>,
): Promise<Reply> {
  const query = new Map([...call.info.query, ['dryRun', 'All']]);
  const body = call.body === undefined ? undefined : { ...call.body, document: cloneJson(call.body.document) };
  return await write({ ...call, body, accept: { ...call.accept, as: undefined }, info: { ...call.info, query } }, deps);
}

export function succeeded(reply: Reply): reply is ObjectReply {
  return reply.kind === 'object' && reply.status >= 200 && reply.status < 300 && !isStatus(reply.object);
}

/** True for what no mutation could mend: the host cannot read it, or may not because of fields that are not there. */
export function isUnreadable(reply: Reply): boolean {
  return reply.kind === 'object' && reply.status === 400;
}

/** The object of the request, or of its subresource, as it is; undefined when there is none. */
export async function shownObject(
  call: Call,
  deps: VerbDeps,
  get: (call: Call, deps: VerbDeps) => Promise<Reply>,
): Promise<JsonObject | undefined> {
  const { subresource } = call.info;
  // Some subresources can only be written: their object is the whole one.
  const isRead = call.at.kind.subresources[subresource]?.verbs.includes('get') ?? false;
  const info = { ...call.info, verb: 'get', subresource: isRead ? subresource : '', query: new Map() } as const;
  const asked: Call = { ...call, body: undefined, accept: { ...call.accept, as: undefined }, info };
  const reply = await get(asked, deps).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'ERR_NOT_FOUND') return undefined;
    throw error;
  });
  return reply?.kind === 'object' && reply.status === 200 ? reply.object : undefined;
}

/**
 * The reply with what the client is warned of.
 * @param checked the rehearsal of what the client itself wrote, where something else was written in its place
 */
export function withWarnings(reply: Reply, { warnings }: Pick<AdmissionRound, 'warnings'>, checked?: Reply): Reply {
  const given = [checked?.headers?.['warning'] ?? [], reply.headers?.['warning'] ?? []].flat();
  const all = [...given, ...warningHeaders(warnings)];
  return all.length === 0 ? reply : { ...reply, headers: { ...reply.headers, warning: all } };
}

/** Has the host fill in what others have changed. @param shown what of a rehearsed object is seen */
export function filledIn(
  tried: (object: JsonObject) => Promise<Reply>,
  shown: (made: JsonObject) => JsonObject = (made) => made,
): FillIn {
  return async (object) => {
    try {
      const trial = await tried(cloneJson(object));
      return succeeded(trial) ? shown(trial.object) : object;
    } catch (error) {
      // What is refused is refused once more when it is to be written.
      if (error instanceof ApiError) return object;
      throw error;
    }
  };
}

/** The same write of what others have changed: fields that nobody knows are then no fault of the client's. */
export function lenient(call: Call): Call {
  return { ...call, info: { ...call.info, query: new Map([...call.info.query, ['fieldValidation', 'Ignore']]) } };
}
