/**
 * DELETE of a collection. In one namespace the host does it, under the tenant's own identity; of cluster-scoped kinds
 * the tenant's own objects are named one by one, each with its uid, so that no other can be met.
 */
import { stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { nameOf, uidOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { isSuccess, objectReply, parseAnswer, refusal } from './answer.ts';
import type { Call, Host } from './call.ts';
import { deleteOptions } from './delete.ts';
import { fetchList, listDocument } from './list.ts';
import { ensureNamespace } from './namespace-ready.ts';
import { isOwnedBy } from './owner.ts';
import { asTenant, objectPath, placeOf } from './place.ts';
import { plainParameters, selectorParameters } from './query.ts';

export async function deleteCollection(call: Call, host: Host): Promise<Reply> {
  const { kind } = call.at;
  if (kind.namespaced && call.info.namespace === '') {
    throw new ApiError('ERR_METHOD_NOT_ALLOWED', 'the server does not allow this method on the requested resource');
  }
  if (!kind.namespaced && !kind.custom) return await oneByOne(call, host);
  await ensureNamespace(call, host);
  const place = placeOf(call, host, 'write');
  const selectors = selectorParameters(call, place);
  const options = deleteOptions(call);
  const answer = await host.upstream.request({
    identity: place.identity,
    method: 'DELETE',
    path: place.collection,
    query: [
      ...plainParameters(call.info.query, 'deletecollection'),
      ...(selectors.nothing ? [['labelSelector', 'kubeveil.dev/nothing'] as const] : selectors.pairs),
    ],
    ...(options === undefined ? {} : { contentType: 'application/json', body: options }),
    signal: call.head.signal,
  });
  if (!isSuccess(answer)) return refusal(call, answer, parseAnswer(answer));
  const document = parseAnswer(answer);
  if (document['kind'] === 'Status') return objectReply(call, host, place, answer);
  return { kind: 'object', status: answer.status, object: listDocument(call, host, place, document) };
}

async function oneByOne(call: Call, host: Host): Promise<Reply> {
  const place = placeOf(call, host, 'read');
  const plain: Call = { ...call, accept: { ...call.accept, as: undefined } };
  const listed = await fetchList(plain, host, place, []);
  const document = parseAnswer(listed);
  if (!isSuccess(listed)) return refusal(call, listed, document);
  const items = (Array.isArray(document['items']) ? document['items'] : []).filter(isObject);
  const own = items.filter((item) => isOwnedBy(call.tenant.id, item, false));
  for (const item of own) {
    const refused = await removeOne(call, host, item);
    if (refused !== undefined) return refused;
  }
  return { kind: 'object', status: 200, object: listDocument(plain, host, place, { ...document, items: own }) };
}

/** Undefined when it is gone or going, or was another by then. */
async function removeOne(call: Call, host: Host, item: JsonObject): Promise<Reply | undefined> {
  const place = placeOf(call, host, 'write');
  const given = JSON.parse(deleteOptions(call) ?? '{}') as JsonObject;
  const answer = await host.upstream.request({
    identity: asTenant(call),
    method: 'DELETE',
    path: objectPath(place, nameOf(item), ''),
    query: plainParameters(call.info.query, 'delete'),
    contentType: 'application/json',
    body: stringifyJson({ apiVersion: 'v1', kind: 'DeleteOptions', ...given, preconditions: { uid: uidOf(item) } }),
    signal: call.head.signal,
  });
  if (isSuccess(answer) || answer.status === 404 || answer.status === 409) return undefined;
  return refusal(call, answer, parseAnswer(answer));
}
