/**
 * Writes of custom resources in another version than the one that is stored, where their tenant converts them by webhook.
 *
 *   create, update   a dry run in the version of the request, by which the host checks it by that version's schema; then
 *                    the object, completed by the same schema, is converted and written in the version that is stored
 *   patch            the object is read and converted, patched, and written as an update
 *   apply            the configuration is converted and applied in the version that is stored, which its fields are then
 *                    of: who manages which field is kept by the host
 *   delete           nothing is converted but what is answered
 */
import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, uidOf } from '../k8s/meta.ts';
import { completed } from '../k8s/structural-schema.ts';
import { apiVersionOf, isObject, type JsonObject } from '../k8s/types.ts';
import { applyPatch } from '../translate/apply.ts';
import { objectOf, patchOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { asAsked, asStored, serveConverted } from './conversion.ts';
import { convertObjects } from './convert-objects.ts';
import { blamingPatch, checkPatch, refuseOtherUid } from './patch-faults.ts';
import { readMergeWrite } from './read-merge-write.ts';
import { lenient, rehearse, succeeded, withWarnings } from './rehearsal.ts';

type Write = (call: Call, deps: VerbDeps) => Promise<Reply>;

const APPLY = 'application/apply-patch+yaml';
const APPLIED_HERE = new Set(['application/merge-patch+json', 'application/json-patch+json']);

/** @param write serves a write in the version that its call names, whatever is stored */
export async function writeConverted(call: Call, deps: VerbDeps, write: Write): Promise<Reply> {
  switch (call.info.verb) {
    case 'create':
    case 'update':
      return await writeObject(call, deps, write);
    case 'patch':
      return await patchObject(call, deps, write);
    default:
      return await serveConverted(call, deps, write);
  }
}

async function writeObject(call: Call, deps: VerbDeps, write: Write): Promise<Reply> {
  const given = cloneJson(objectOf(call));
  const trial = await rehearse(call, deps, write);
  if (!succeeded(trial)) return trial;
  const complete = completed(given, call.at.conversion?.schema ?? {});
  // The webhook sees what the server has made up by then.
  const metadata = { ...metadataOf(given) };
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp']) {
    const { [field]: made } = metadataOf(trial.object);
    if (made !== undefined) metadata[field] = made;
  }
  complete['metadata'] = metadata;
  const [object = complete] = await convert(call, deps, complete);
  const reply = await write(inStored(call, object), deps);
  // Fields that the version of the request does not know are gone by now.
  return withWarnings(await asAsked(call, deps, reply), { warnings: [] }, trial);
}

async function patchObject(call: Call, deps: VerbDeps, write: Write): Promise<Reply> {
  const body = patchOf(call);
  const { contentType, document } = body;
  checkPatch(call, body);
  if (contentType === APPLY && isObject(document)) {
    const named = { ...document, metadata: { name: call.info.name, ...metadataOf(document) } };
    const [config = named] = await convert(call, deps, named);
    const stored = inStored(call, config);
    const reply = await write({ ...stored, body: { contentType, document: config } }, deps);
    return await asAsked(call, deps, reply);
  }
  // The write refuses what is no patch of a custom resource.
  if (!APPLIED_HERE.has(contentType)) return await write(call, deps);
  const apply = (current: JsonObject): JsonObject => {
    const before = { metadata: { uid: uidOf(current) } };
    const patched = applyPatch(current, document, contentType);
    refuseOtherUid(call, before, patched);
    return patched;
  };
  const update: Write = (patched) =>
    writeObject({ ...patched, info: { ...patched.info, verb: 'update' } }, deps, write);
  return await blamingPatch(body, async () => await readMergeWrite(call, deps, apply, update));
}

async function convert(call: Call, deps: VerbDeps, object: JsonObject): Promise<JsonObject[]> {
  const stored = call.at.conversion?.storedAs ?? '';
  if (stored === '') throw new ApiError('ERR_INTERNAL', 'no version of the kind is stored', { why: 'not-converted' });
  return await convertObjects(call, deps, [object], apiVersionOf(call.info.group, stored));
}

/** What was converted has been checked: fields that the stored version does not know are dropped, as on the API server. */
function inStored(call: Call, document: JsonObject): Call {
  return { ...lenient(asStored(call)), body: { contentType: 'application/json', document } };
}
