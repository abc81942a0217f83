/** UPDATE of an object or a subresource: the whole object, as the tenant sees it. */
import { cloneJson, stringifyJson } from '../codec/json.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, uidOf, versionOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { checkNames } from '../translate/names-check.ts';
import { toUpstream } from '../translate/object.ts';
import { isSuccess, objectReply, parseAnswer, upstreamAccept } from './answer.ts';
import type { Call, Host } from './call.ts';
import { documentOf, isDryRun, matchesUrl } from './create.ts';
import { ensureNamespace } from './namespace-ready.ts';
import { objectPath, placeOf } from './place.ts';
import { plainParameters, tableParameters } from './query.ts';
import { readMergeWrite } from './read-merge-write.ts';
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
  const stood = await storeStanding(call, host);
  if (stood !== undefined) takeOver(object, stood);
  if (call.at.class === 'virtual' && versionOf(object) === '') {
    // The native kinds take an update without a revision; a custom resource does not.
    return await readMergeWrite(call, host, () => cloneJson(object), update);
  }

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

/**
 * A write to an object that only stands so far first stores it, so that there is something to change.
 * Returns the object as it stood, when it was stored just now.
 */
export async function storeStanding(call: Call, host: Host): Promise<JsonObject | undefined> {
  const standing = standingObject(call, host);
  return standing !== undefined && (await host.standing.store(call, standing)) ? standing : undefined;
}

/** What a client read of an object that was not stored then holds for the one that is stored now, and is the same. */
function takeOver(object: JsonObject, standing: JsonObject): void {
  const metadata = metadataOf(object);
  if (versionOf(object) === versionOf(standing)) delete metadata['resourceVersion'];
  if (uidOf(object) === uidOf(standing)) delete metadata['uid'];
}
