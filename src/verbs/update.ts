/** UPDATE of an object or a subresource: the whole object, as the tenant sees it. */
import { stringifyJson } from '../codec/json.ts';
import type { Reply } from '../exchange.ts';
import { checkNames } from '../translate/names-check.ts';
import { toUpstream } from '../translate/object.ts';
import { isSuccess, objectReply, parseAnswer, upstreamAccept } from './answer.ts';
import type { Call, Host } from './call.ts';
import { documentOf, isDryRun, matchesUrl } from './create.ts';
import { ensureNamespace } from './namespace-ready.ts';
import { objectPath, placeOf } from './place.ts';
import { plainParameters, tableParameters } from './query.ts';
import { standingObject } from './standing.ts';
import { bodyTypeOf } from './subresource.ts';
import { upstreamNameOf } from './upstream-name.ts';
import { prepared } from './virtual.ts';

export async function update(call: Call, host: Host): Promise<Reply> {
  const given = documentOf(call);
  matchesUrl(call, given);
  const object = await prepared(call, host, given, true);
  if (call.info.subresource === '') checkNames(object, call.at, call.scope);
  await ensureNamespace(call, host);
  await storeStanding(call, host);

  const place = placeOf(call, host, 'write');
  const answer = await host.upstream.request({
    identity: place.identity,
    method: 'PUT',
    path: objectPath(place, upstreamNameOf(call), call.info.subresource),
    query: [...plainParameters(call.info.query, 'update'), ...tableParameters(call)],
    accept: upstreamAccept(call),
    contentType: 'application/json',
    body: stringifyJson(toUpstream(object, call.at, call.scope, call.info.subresource)),
    signal: call.head.signal,
  });
  if (isSuccess(answer) && !isDryRun(call) && !bodyTypeOf(call).own) host.onWritten(call.at, parseAnswer(answer));
  return objectReply(call, host, place, answer);
}

/** A write to an object that only stands so far first stores it, so that there is something to change. */
export async function storeStanding(call: Call, host: Host): Promise<void> {
  const standing = standingObject(call, host);
  if (standing !== undefined) await host.standing.store(call, standing);
}
