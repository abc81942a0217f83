/**
 * PATCH, all four types. A patch goes upstream as a patch, mapped. One that cannot be mapped without knowing the object,
 * and one on a virtual kind, is worked out here and written as an update.
 */
import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Body, Reply } from '../exchange.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { VirtualBehaviour } from '../ports.ts';
import { applyPatch } from '../translate/apply.ts';
import { toTenant } from '../translate/object.ts';
import { NeedsLiveObject, patchToUpstream } from '../translate/patch.ts';
import { objectReply } from './answer.ts';
import { patchOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { createForApply } from './namespaces.ts';
import { verbParameters } from './query.ts';
import { readMergeWrite, readStored } from './read-merge-write.ts';
import { isNamespaces, type Route, routeOf } from './route.ts';
import { isSuccess, sendWrite, type WriteRequest } from './send.ts';
import { storeStanding } from './store-standing.ts';
import { update } from './update.ts';
import { upstreamNameOf } from './upstream-name.ts';
import { behaviourOf } from './virtual-kinds.ts';

const APPLY = 'application/apply-patch+yaml';
const STRATEGIC = 'application/strategic-merge-patch+json';
/** The types of patch that can be applied without knowing the kind's schema. */
const APPLIED_HERE = new Set(['application/merge-patch+json', 'application/json-patch+json']);

export async function patch(call: Call, deps: VerbDeps): Promise<Reply> {
  const body = patchOf(call);
  await ensureNamespace(call, deps);
  if (isNamespaces(call) && body.contentType === APPLY && call.info.subresource === '') {
    const refused = await createForApply(call, deps);
    if (refused !== undefined) return refused;
  }
  await storeStanding(call, deps);
  const behaviour = behaviourOf(call, deps);
  if (behaviour !== undefined) return await patchVirtual(call, deps, behaviour, body);
  if (body.contentType === STRATEGIC && call.at.kind.custom) {
    throw new ApiError(
      'ERR_UNSUPPORTED_MEDIA_TYPE',
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
  return await sendPatch(call, deps, body);
}

/**
 * A virtual kind gets the defaults and checks of the native kind, which upstream does not know, so the result of a patch
 * is worked out here. Only apply, whose result depends on who owns which field, is upstream's to work out.
 */
async function patchVirtual(call: Call, deps: VerbDeps, behaviour: VirtualBehaviour, body: Body): Promise<Reply> {
  const { contentType } = body;
  if (contentType === STRATEGIC) {
    const given = objectPatch(body);
    return await readMergeWrite(call, deps, (current) => behaviour.strategicMerge(current, given), update);
  }
  if (APPLIED_HERE.has(contentType)) return await applyHere(call, deps, body);
  return await sendPatch(call, deps, { contentType, document: behaviour.forApply(objectPatch(body)) });
}

/** Sends the patch on, mapped; one that cannot be mapped without the object is worked out here. */
async function sendPatch(call: Call, deps: VerbDeps, body: Body): Promise<Reply> {
  const document = mapPatch(call, body);
  if (document === undefined) return await applyHere(call, deps, body);
  const route = routeOf(call, deps, 'write');
  const write: WriteRequest = {
    method: 'PATCH',
    name: upstreamNameOf(call),
    subresource: call.info.subresource,
    query: verbParameters(call.info.query, 'patch'),
    contentType: body.contentType,
    document,
  };
  await rehearse(call, deps, route, write);
  return objectReply(call, deps, route, await sendWrite(call, deps, route, write));
}

/** The patch in upstream terms; undefined when what it does depends on the object it meets. */
function mapPatch(call: Call, { contentType, document }: Body): JsonValue | undefined {
  try {
    // Mapping works in place, and the patch may be needed once more.
    const { subresource, name } = call.info;
    return patchToUpstream(cloneJson(document), contentType, call.at, call.scope, subresource, name);
  } catch (error) {
    if (error instanceof NeedsLiveObject && APPLIED_HERE.has(contentType)) return undefined;
    throw error;
  }
}

async function applyHere(call: Call, deps: VerbDeps, { contentType, document }: Body): Promise<Reply> {
  return await readMergeWrite(call, deps, (current) => applyPatch(current, document, contentType), update);
}

function objectPatch({ document }: Body): JsonObject {
  if (!isObject(document)) throw new ApiError('ERR_BAD_REQUEST', 'the patch must be an object');
  return document;
}

/** Of a virtual kind, what the patch would make is checked before it is made: upstream knows only the schema. */
async function rehearse(call: Call, deps: VerbDeps, route: Route, write: WriteRequest): Promise<void> {
  const behaviour = behaviourOf(call, deps);
  if (behaviour === undefined) return;
  const query = [...write.query.filter(([name]) => name !== 'dryRun'), ['dryRun', 'All'] as const];
  const whole: Call = { ...call, accept: { ...call.accept, as: undefined } };
  const trial = await sendWrite(whole, deps, route, { ...write, query });
  // What upstream refuses, it refuses again, and says why.
  if (!isSuccess(trial)) return;
  const stored = await readStored(call, deps);
  behaviour.validate(toTenant(trial.document, call.at, call.scope), stored, call.info.subresource);
}
