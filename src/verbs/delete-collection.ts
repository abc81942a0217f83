/**
 * DELETE of a collection. In one namespace the host does it, under the tenant's own identity; of cluster-scoped kinds
 * the tenant's own objects are named one by one, each with its uid, so that no other can be met.
 */
import { methodNotAllowed } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { nameOf, uidOf } from '../k8s/meta.ts';
import { objects } from '../k8s/read.ts';
import { isStatus } from '../k8s/shapes.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { UpstreamName } from '../tenancy/names.ts';
import { nameToTenant } from '../translate/names-check.ts';
import { objectReply, refusalReply } from './answer.ts';
import { deleteOptionsOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { dropForeign } from './egress-check.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { sendList, showList } from './list.ts';
import { selectorParameters, verbParameters } from './query.ts';
import { isNamespaces, routeOf } from './route.ts';
import { isSuccess, sendWrite } from './send.ts';

export async function deleteCollection(call: Call, deps: VerbDeps): Promise<Reply> {
  const { kind } = call.at;
  // The API server has no such method for namespaces either.
  if ((kind.namespaced && call.info.namespace === '') || isNamespaces(call)) throw methodNotAllowed();
  if (!kind.namespaced && !kind.custom) return await deleteEach(call, deps);
  await ensureNamespace(call, deps);
  const route = routeOf(call, deps, 'write');
  const answer = await sendWrite(call, deps, route, {
    method: 'DELETE',
    query: [...verbParameters(call.info.query, 'deletecollection'), ...selectorParameters(call, route)],
    document: deleteOptionsOf(call),
  });
  if (!isSuccess(answer) || isStatus(answer.document)) return objectReply(call, deps, route, answer);
  return { kind: 'object', status: answer.status, object: showList(call, deps, route, answer.document) };
}

async function deleteEach(call: Call, deps: VerbDeps): Promise<Reply> {
  const route = routeOf(call, deps, 'read');
  const plain: Call = { ...call, accept: { ...call.accept, as: undefined } };
  const listed = await sendList(plain, deps, route, []);
  if (!isSuccess(listed)) return refusalReply(call, listed);
  const { document } = listed;
  dropForeign(call, deps, route, document);
  for (const item of objects(document, 'items')) {
    const refused = await deleteExactly(call, deps, item);
    if (refused !== undefined) return refused;
  }
  return { kind: 'object', status: 200, object: showList(plain, deps, route, document) };
}

/** Deletes this very object. Undefined when it is gone or going, or was another by then. */
async function deleteExactly(call: Call, deps: VerbDeps, item: JsonObject): Promise<Reply | undefined> {
  const answer = await sendWrite(call, deps, routeOf(call, deps, 'write'), {
    method: 'DELETE',
    name: nameOf(item),
    query: verbParameters(call.info.query, 'delete'),
    document: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...deleteOptionsOf(call),
      preconditions: { uid: uidOf(item) },
    },
  });
  if (isSuccess(answer) || answer.status === 404 || answer.status === 409) return undefined;
  // The request names no object, so that the one at hand must be known before upstream's words are mapped.
  const name = nameToTenant(nameOf(item) as UpstreamName, call.at, call.scope) ?? '';
  return refusalReply({ ...call, info: { ...call.info, name } }, answer);
}
