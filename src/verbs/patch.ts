/**
 * PATCH, all four types. A patch goes upstream as a patch, mapped. One that cannot be mapped without knowing the object,
 * and one on a virtual kind, is worked out here and written as an update.
 */
import { cloneJson, stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Body, Reply } from '../exchange.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { UpstreamRequest, VirtualBehaviour } from '../ports.ts';
import { applyPatch } from '../translate/apply.ts';
import { toTenant } from '../translate/object.ts';
import { NeedsLiveObject, patchToUpstream } from '../translate/patch.ts';
import { isSuccess, objectReply, parseAnswer, upstreamAccept } from './answer.ts';
import type { Call, Host } from './call.ts';
import { isDryRun } from './create.ts';
import { ensureNamespace } from './namespace-ready.ts';
import { objectPath, placeOf } from './place.ts';
import { plainParameters, tableParameters } from './query.ts';
import { readMergeWrite, stored } from './read-merge-write.ts';
import { bodyTypeOf } from './subresource.ts';
import { storeStanding, update } from './update.ts';
import { upstreamNameOf } from './upstream-name.ts';
import { behaviourOf } from './virtual.ts';

export async function patch(call: Call, host: Host): Promise<Reply> {
  if (call.body === undefined) throw new ApiError('ERR_BAD_REQUEST', 'the request has no patch in its body');
  await ensureNamespace(call, host);
  await storeStanding(call, host);
  const behaviour = behaviourOf(call, host);
  if (behaviour !== undefined) return await patchVirtual(call, host, behaviour, call.body);
  const { contentType } = call.body;
  if (contentType === 'application/strategic-merge-patch+json' && call.at.kind.custom) {
    throw new ApiError(
      'ERR_UNSUPPORTED_MEDIA_TYPE',
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
  return await sendPatch(call, host, call.body);
}

/**
 * A virtual kind gets the defaults and checks of the native kind, which upstream does not know, so the result of a patch
 * is worked out here. Only apply, whose result depends on who owns which field, is upstream's to work out.
 */
async function patchVirtual(call: Call, host: Host, behaviour: VirtualBehaviour, body: Body): Promise<Reply> {
  const { document, contentType } = body;
  if (contentType === 'application/strategic-merge-patch+json') {
    const patch = objectPatch(body);
    return await readMergeWrite(call, host, (current) => behaviour.strategicMerge(current, patch), update);
  }
  if (APPLIED_HERE.has(contentType)) {
    return await readMergeWrite(call, host, (current) => applyPatch(current, document, contentType), update);
  }
  return await sendPatch(call, host, { contentType, document: behaviour.withDefaults(objectPatch(body)) });
}

/** Sends the patch on, mapped; one that cannot be mapped without the object is worked out here. */
async function sendPatch(call: Call, host: Host, body: Body): Promise<Reply> {
  const { document, contentType } = body;
  const place = placeOf(call, host, 'write');
  const mapped = mappedPatch(call, body);
  if (mapped === undefined) {
    return await readMergeWrite(call, host, (current) => applyPatch(current, document, contentType), update);
  }
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

/** The patch in upstream terms; undefined when what it does depends on the object it meets. */
export function mappedPatch(call: Call, body: Body): JsonValue | undefined {
  try {
    // Mapping works in place, and the patch may be needed once more.
    const patch = cloneJson(body.document);
    return patchToUpstream(patch, body.contentType, call.at, call.scope, call.info.subresource);
  } catch (error) {
    if (error instanceof NeedsLiveObject && APPLIED_HERE.has(body.contentType)) return undefined;
    throw error;
  }
}

/** The types of patch that can be applied without knowing the kind's schema. */
const APPLIED_HERE = new Set(['application/merge-patch+json', 'application/json-patch+json']);

function objectPatch({ document }: Body): JsonObject {
  if (!isObject(document)) throw new ApiError('ERR_BAD_REQUEST', 'the patch must be an object');
  return document;
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
