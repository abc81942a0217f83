/**
 * DELETE of a collection. In one namespace the host does it, under the tenant's own identity; of cluster-scoped kinds
 * the tenant's own objects are named one by one, each with its uid, so that no other can be met.
 */
import { type ApiError, conflict, methodNotAllowed } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, nameOf, uidOf } from '../k8s/meta.ts';
import { child, objects, text } from '../k8s/read.ts';
import { isStatus } from '../k8s/shapes.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { UpstreamName } from '../tenancy/names.ts';
import { nameToTenant } from '../translate/names-check.ts';
import { objectReply, refusalReply, replyHeaders } from './answer.ts';
import type { Call, VerbDeps } from './call.ts';
import { openContinue, pageOf, sealContinue } from './continue-token.ts';
import { bodyOptions, deleteOptionsOf } from './delete-options.ts';
import { dropForeign } from './egress-check.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { sendList, showList } from './list.ts';
import { pick, selectorParameters, verbParameters } from './query.ts';
import { isNamespaces, routeOf } from './route.ts';
import { type Answer, isSuccess, sendWrite } from './send.ts';

export async function deleteCollection(call: Call, deps: VerbDeps): Promise<Reply> {
  const { kind } = call.at;
  // The API server has no such method for namespaces either.
  if ((kind.namespaced && call.info.namespace === '') || isNamespaces(call)) throw methodNotAllowed();
  if (!kind.namespaced && !kind.custom) return await deleteEach(call, deps);
  await ensureNamespace(call, deps);
  const route = routeOf(call, deps, 'write');
  const answer = await sendWrite(call, deps, route, {
    method: 'DELETE',
    query: [
      ...verbParameters(call.info.query, 'deletecollection'),
      ...pageOf(await openContinue(call, deps, 'one')),
      ...selectorParameters(call, route),
    ],
    document: bodyOptions(call),
  });
  if (!isSuccess(answer) || isStatus(answer.document)) return objectReply(call, deps, route, answer);
  return await deleted(call, deps, showList(call, deps, route, answer.document), answer);
}

async function deleteEach(call: Call, deps: VerbDeps): Promise<Reply> {
  const options = deleteOptionsOf(call);
  const route = routeOf(call, deps, 'read');
  const plain: Call = { ...call, accept: { ...call.accept, as: undefined } };
  const query = pick(call.info.query, ['resourceVersion', 'resourceVersionMatch', 'limit']);
  const listed = await sendList(plain, deps, route, [...query, ...pageOf(await openContinue(call, deps, 'one'))]);
  if (!isSuccess(listed)) return refusalReply(call, listed);
  const { document } = listed;
  dropForeign(call, deps, route, document);
  for (const item of objects(document, 'items')) {
    const refused = await deleteExactly(call, deps, item, options);
    if (refused !== undefined) return refused;
  }
  return await deleted(call, deps, showList(plain, deps, route, document), listed);
}

/** What was deleted, with the place of what a limit left. */
async function deleted(call: Call, deps: VerbDeps, list: JsonObject, answer: Answer): Promise<Reply> {
  const metadata = metadataOf(list);
  const token = text(metadata, 'continue');
  if (token !== '') metadata['continue'] = await sealContinue(call, deps, 'one', { token });
  return { kind: 'object', status: answer.status, object: list, headers: replyHeaders(call, answer) };
}

/**
 * Deletes this very object, and no other that has its name by then, whatever the client says of uids. Undefined when it
 * is gone or going, or was another by then.
 */
async function deleteExactly(
  call: Call,
  deps: VerbDeps,
  item: JsonObject,
  options: JsonObject,
): Promise<Reply | undefined> {
  const asked = child(options, 'preconditions');
  const uid = uidOf(item);
  const name = nameToTenant(nameOf(item) as UpstreamName, call.at, call.scope) ?? '';
  if (typeof asked['uid'] === 'string' && asked['uid'] !== uid) throw anotherUid(call, name, asked['uid'], uid);
  const answer = await sendWrite(call, deps, routeOf(call, deps, 'write'), {
    method: 'DELETE',
    name: nameOf(item),
    query: [],
    document: { ...options, preconditions: { ...asked, uid } },
  });
  const isAnother = answer.status === 409 && Object.keys(asked).length === 0;
  if (isSuccess(answer) || answer.status === 404 || isAnother) return undefined;
  // The request names no object, so that the one at hand must be known before upstream's words are mapped.
  return refusalReply({ ...call, info: { ...call.info, name } }, answer);
}

function anotherUid({ at, info }: Call, name: string, asked: string, uid: string): ApiError {
  const why = `the UID in the precondition (${asked}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
  return conflict({ group: info.group, what: at.kind.kind, name }, why);
}
