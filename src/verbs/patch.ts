/**
 * PATCH, all four types. A patch goes upstream as a patch, mapped; only a strategic merge on a kind that upstream stores
 * as a custom resource, which knows no such patch, is worked out here and written as an update.
 */
import { stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import type { UpstreamRequest } from '../ports.ts';
import { toTenant } from '../translate/object.ts';
import { patchToUpstream } from '../translate/patch.ts';
import { isSuccess, objectReply, parseAnswer, upstreamAccept } from './answer.ts';
import type { Call, Host } from './call.ts';
import { isDryRun } from './create.ts';
import { ensureNamespace } from './namespace-ready.ts';
import { objectPath, placeOf } from './place.ts';
import { plainParameters, tableParameters } from './query.ts';
import { bodyTypeOf } from './subresource.ts';
import { storeStanding, update } from './update.ts';
import { upstreamNameOf } from './upstream-name.ts';
import { behaviourOf, patchStrategic, stored } from './virtual.ts';

export async function patch(call: Call, host: Host): Promise<Reply> {
  if (call.body === undefined) throw new ApiError('ERR_BAD_REQUEST', 'the request has no patch in its body');
  await ensureNamespace(call, host);
  await storeStanding(call, host);
  const { contentType } = call.body;
  if (contentType === 'application/strategic-merge-patch+json') {
    if (call.at.class === 'virtual') return await patchStrategic(call, host, (written) => update(written, host));
    if (call.at.kind.custom) {
      throw new ApiError(
        'ERR_UNSUPPORTED_MEDIA_TYPE',
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      );
    }
  }

  const place = placeOf(call, host, 'write');
  const mapped = patchToUpstream(call.body.document, contentType, call.at, call.scope, call.info.subresource);
  const request: UpstreamRequest = {
    identity: place.identity,
    method: 'PATCH',
    path: objectPath(place, upstreamNameOf(call), call.info.subresource),
    query: [...plainParameters(call.info.query, 'patch'), ...tableParameters(call)],
    accept: upstreamAccept(call),
    contentType,
    // JSON is YAML: an apply patch goes on as JSON, under the type that says apply.
    body: stringifyJson(mapped),
    signal: call.head.signal,
  };
  await checkResult(call, host, request);
  const answer = await host.upstream.request(request);
  if (isSuccess(answer) && !isDryRun(call) && !bodyTypeOf(call).own) host.onWritten(call.at, parseAnswer(answer));
  return objectReply(call, host, place, answer);
}

/** Of a virtual kind, what the patch would make is checked before it is made: upstream knows only the schema. */
async function checkResult(call: Call, host: Host, request: UpstreamRequest): Promise<void> {
  const behaviour = behaviourOf(call, host);
  if (behaviour === undefined) return;
  const query = [...(request.query ?? []).filter(([name]) => name !== 'dryRun'), ['dryRun', 'All'] as const];
  const trial = await host.upstream.request({ ...request, query, accept: 'application/json' });
  // What upstream refuses, it refuses again, and says why.
  if (!isSuccess(trial)) return;
  behaviour.validate(toTenant(parseAnswer(trial), call.at, call.scope), await stored(call, host));
}
