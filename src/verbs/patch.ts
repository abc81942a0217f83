/**
 * PATCH, all four types. A patch goes upstream as a patch, mapped. One that cannot be mapped without knowing the object,
 * and one on a virtual kind, is worked out here and written as an update.
 */

import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Body, Reply } from '../exchange.ts';
import { metadataOf, nameOf, uidOf, versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject, type JsonValue } from '../k8s/types.ts';
import type { VirtualBehaviour } from '../ports.ts';
import { applyPatch } from '../translate/apply.ts';
import { toTenant } from '../translate/object.ts';
import { NeedsLiveObject, patchToUpstream } from '../translate/patch.ts';
import { objectReply, refusalReply } from './answer.ts';
import { checkOwnName, patchOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { confirmCreation } from './confirm-creation.ts';
import { confirmGrant, isGrant } from './confirm-grant.ts';
import { refuseSecondDefault } from './default-class.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { createForApply } from './namespaces.ts';
import { confirmParams } from './param-access.ts';
import { blamingPatch, checkPatch, refuseOtherUid, repeatedInPatch, withWarnings } from './patch-faults.ts';
import { verbParameters } from './query.ts';
import { readMergeWrite, readStored } from './read-merge-write.ts';
import { isNamespaces, type Route, routeOf } from './route.ts';
import { type Answer, isSuccess, sendWrite, type WriteRequest } from './send.ts';
import { storeStanding } from './store-standing.ts';
import { refuseUnknownRole } from './unknown-role.ts';
import { update } from './update.ts';
import { upstreamNameOf } from './upstream-name.ts';
import { behaviourOf, checkVirtual, writeOf } from './virtual-kinds.ts';

/** Of a patch that somebody else's write has overtaken. */
const TRIES = 5;
const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
/** The types of patch that can be applied without knowing the kind's schema. */
const APPLIED_HERE = new Set(['application/merge-patch+json', JSON_PATCH]);
/** And of a native kind, whose schema the host tells. */
const APPLIED_BY_SCHEMA = new Set([...APPLIED_HERE, STRATEGIC]);

export async function patch(call: Call, deps: VerbDeps): Promise<Reply> {
  const given = patchOf(call);
  checkPatch(call, given);
  if (isObject(given.document)) refuseUnknownRole(call, given.document, true);
  if (given.contentType === APPLY && isObject(given.document)) {
    checkOwnName(call, nameOf(given.document));
    refuseSecondDefault(given.document, call, deps);
  }
  const body = given.contentType === APPLY ? meeting(given, await confirmCreation(call, deps)) : given;
  await ensureNamespace(call, deps);
  if (isNamespaces(call) && body.contentType === APPLY && call.info.subresource === '') {
    const refused = await createForApply(call, deps);
    if (refused !== undefined) return refused;
  }
  await storeStanding(call, deps);
  const behaviour = behaviourOf(call, deps);
  if (behaviour !== undefined) {
    const warnings = repeatedInPatch(call, given);
    const reply = await blamingPatch(given, async () => await patchVirtual(call, deps, behaviour, body));
    return withWarnings(reply, warnings);
  }
  if (body.contentType === STRATEGIC && call.at.kind.custom) {
    throw new ApiError(
      'ERR_UNSUPPORTED_MEDIA_TYPE',
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
  if (body.contentType === APPLY) return await sendPatch(call, deps, body);
  return await blamingPatch(given, async () => await sendPatch(call, deps, body));
}

/** The apply then fails where the object is another or none by now. @param uid undefined: any, or none, will do */
function meeting({ contentType, document }: Body, uid: string | undefined): Body {
  if (uid === undefined || !isObject(document)) return { contentType, document };
  return { contentType, document: { ...document, metadata: { uid, ...metadataOf(document) } } };
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
  const document = behaviour.forApply(objectPatch(body));
  if (behaviour.prepares) behaviour.prepare(document, writeOf(call, await readStored(call, deps), true));
  return await sendPatch(call, deps, { contentType, document });
}

/** Sends the patch on, mapped; one that cannot be mapped without the object is worked out here. */
async function sendPatch(call: Call, deps: VerbDeps, body: Body): Promise<Reply> {
  const isWeighed = behaviourOf(call, deps) !== undefined || isGrant(call, deps);
  const document = mapPatch(call, body);
  // A JSON patch cannot be made to hold for one revision without its refusals becoming others.
  if (document === undefined || (isWeighed && body.contentType === JSON_PATCH))
    return await applyHere(call, deps, body);
  const route = routeOf(call, deps, 'write');
  const write: WriteRequest = {
    method: 'PATCH',
    name: upstreamNameOf(call),
    subresource: call.info.subresource,
    query: verbParameters(call.info.query, 'patch'),
    contentType: body.contentType,
    document,
  };
  if (isWeighed) return await sendRehearsed(call, deps, route, write);
  return objectReply(call, deps, route, await sendWrite(call, deps, route, write));
}

/** The patch in upstream terms; undefined when what it does depends on the object it meets. */
function mapPatch(call: Call, { contentType, document }: Body): JsonValue | undefined {
  try {
    // Mapping works in place, and the patch may be needed once more.
    const { subresource, name } = call.info;
    return patchToUpstream(cloneJson(document), contentType, call.at, call.scope, subresource, name);
  } catch (error) {
    if (error instanceof NeedsLiveObject && APPLIED_BY_SCHEMA.has(contentType)) return undefined;
    throw error;
  }
}

async function applyHere(call: Call, deps: VerbDeps, body: Body): Promise<Reply> {
  const { contentType, document } = body;
  const merge = contentType === STRATEGIC ? await strategicMerge(call, deps, objectPatch(body)) : undefined;
  const apply = (current: JsonObject): JsonObject => {
    const before = { metadata: { uid: uidOf(current) } };
    const patched = merge === undefined ? applyPatch(current, document, contentType) : merge(current);
    refuseOtherUid(call, before, patched);
    return patched;
  };
  return await readMergeWrite(call, deps, apply, update);
}

/** @throws {ApiError} ERR_UNAVAILABLE while the host does not tell how fields of the kind merge */
async function strategicMerge(call: Call, deps: VerbDeps, patch: JsonObject): Promise<(of: JsonObject) => JsonObject> {
  const merge = await deps.nativeMerge(call.at);
  if (merge === undefined) throw new ApiError('ERR_UNAVAILABLE', 'the schema of this kind is not known at the moment');
  return (current) => merge(current, patch);
}

function objectPatch({ document }: Body): JsonObject {
  if (!isObject(document)) throw new ApiError('ERR_BAD_REQUEST', 'the patch must be an object');
  return document;
}

/**
 * Where what a patch makes of its object is to be checked first: upstream is asked what it would make, and the patch then
 * holds for that revision alone; again when somebody else was faster.
 */
async function sendRehearsed(call: Call, deps: VerbDeps, route: Route, write: WriteRequest): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const rehearsal = await rehearse(call, deps, route, write);
    // Refused, it may not be sent: what was refused of one revision might be taken of another, unchecked.
    if ('refused' in rehearsal) return refusalReply(call, rehearsal.refused);
    const answer = await sendWrite(call, deps, route, { ...write, document: rehearsal.document });
    const isStale = answer.status === 409 && rehearsal.document !== write.document;
    if (!isStale || attempt === TRIES) return objectReply(call, deps, route, answer);
  }
}

/** The patch as it may be sent, or upstream's refusal of it. @throws {ApiError} for what may not be written */
async function rehearse(
  call: Call,
  deps: VerbDeps,
  route: Route,
  write: WriteRequest,
): Promise<{ document: JsonValue | undefined } | { refused: Answer }> {
  const query = [...write.query.filter(([name]) => name !== 'dryRun'), ['dryRun', 'All'] as const];
  const whole: Call = { ...call, accept: { ...call.accept, as: undefined } };
  const trial = await sendWrite(whole, deps, route, { ...write, query });
  if (!isSuccess(trial)) return { refused: trial };
  const revision = versionOf(trial.document);
  const result = toTenant(trial.document, call.at, call.scope);
  await confirmGrant(call, deps, result);
  const behaviour = behaviourOf(call, deps);
  if (behaviour !== undefined) {
    const previous = await readStored(call, deps);
    checkVirtual(call, deps, behaviour, result, previous);
    await confirmParams(call, deps, result, previous);
  }
  return { document: pinned(write.document, revision) };
}

/** The patch for one revision; as it is when it names one itself, or makes the object. */
function pinned(document: JsonValue | undefined, revision: string): JsonValue | undefined {
  if (!isObject(document) || revision === '' || versionOf(document) !== '') return document;
  return { ...document, metadata: { ...metadataOf(document), resourceVersion: revision } };
}
