/**
 * Everything of a kind that a tenant has, at one revision, handed over in parts as they come: a large collection is then
 * parsed and translated in many turns, and nobody else waits for all of it. For what is kept in memory; a client's list is
 * `list.ts` or `list-across.ts`.
 */
import type { Reply } from '../exchange.ts';
import { metadataOf } from '../k8s/meta.ts';
import { text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { fewAtOnce } from '../lib/few-at-once.ts';
import type { TenantName } from '../tenancy/names.ts';
import { refusalReply } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { sendList, showList } from './list.ts';
import { exactly, listPart, namespacesOf, PARALLEL, pinRevision } from './list-across.ts';
import type { Pairs } from './query.ts';
import { routeOf } from './route.ts';
import { isSuccess } from './send.ts';

/** Objects in a part: some milliseconds of work. */
const PART = 250;
const LIMIT = ['limit', String(PART)] as const;

/**
 * @param take is given each part, a list in tenant terms, in no order
 * @returns a list without items, at the revision of all parts
 * @throws when upstream refuses
 */
export async function readInParts(call: Call, deps: VerbDeps, take: (part: JsonObject) => void): Promise<JsonObject> {
  return await (call.at.kind.namespaced ? readNamespaces : readOne)(call, deps, take);
}

async function readOne(call: Call, deps: VerbDeps, take: (part: JsonObject) => void): Promise<JsonObject> {
  const route = routeOf(call, deps, 'read');
  for (let place: Pairs = []; ; ) {
    const answer = await sendList(call, deps, route, [LIMIT, ...place]);
    if (!isSuccess(answer)) throw refused(call, refusalReply(call, answer));
    const part = showList(call, deps, route, answer.document);
    take(part);
    const token = text(metadataOf(part), 'continue');
    if (token === '') return { ...part, items: [] };
    place = [['continue', token]];
  }
}

async function readNamespaces(call: Call, deps: VerbDeps, take: (part: JsonObject) => void): Promise<JsonObject> {
  const begun = await pinRevision(call, deps);
  if ('reply' in begun) throw refused(call, begun.reply);
  const { revision, shape = {} } = begun;
  const all = await namespacesOf(call, deps, exactly(revision));
  if ('reply' in all) throw refused(call, all.reply);
  await fewAtOnce(all, PARALLEL, (namespace) => readNamespace(call, deps, namespace, revision, take));
  return { ...shape, metadata: { resourceVersion: revision } };
}

async function readNamespace(
  call: Call,
  deps: VerbDeps,
  namespace: TenantName,
  revision: string,
  take: (part: JsonObject) => void,
): Promise<void> {
  for (let place = exactly(revision); ; ) {
    const part = await listPart(call, deps, namespace, [LIMIT, ...place]);
    if ('reply' in part) throw refused(call, part.reply);
    take(part.document);
    if (part.token === '') return;
    place = [['continue', part.token]];
  }
}

function refused({ info }: Call, reply: Reply): Error {
  return new Error(`reading ${info.resource} was answered with ${'status' in reply ? reply.status : reply.kind}`);
}
