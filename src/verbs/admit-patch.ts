/**
 * A patch under admission. What it makes is known by a dry run. If nothing changes that, the patch itself goes up, bound
 * to the version that was seen. If something does, a patch becomes an update of the whole object; an apply, whose fields
 * belong to who applies them, is sent with what was changed in its configuration.
 */
import { cloneJson } from '../codec/json.ts';
import type { Body, Reply } from '../exchange.ts';
import { metadataOf, nameOf, versionOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import { sameJson } from '../lib/same-json.ts';
import { subjectOf } from './admission-subject.ts';
import { patchOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { get } from './get.ts';
import { filledIn, lenient, rehearse, shownObject, succeeded, withWarnings } from './rehearsal.ts';

const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';

type Write = (call: Call, deps: VerbDeps) => Promise<Reply>;

/** One try; undefined when the object that it was made from has changed meanwhile. */
export async function admitPatch(
  call: Call,
  deps: VerbDeps,
  write: Write,
  isLast: boolean,
): Promise<Reply | undefined> {
  const body = patchOf(call);
  const isApply = body.contentType === APPLY;
  const update = deps.admission(subjectOf(call, deps, 'UPDATE'));
  const create = isApply ? deps.admission(subjectOf(call, deps, 'CREATE')) : undefined;
  if (update === undefined && create === undefined) return await write(call, deps);
  const oldObject = await shownObject(call, deps, get);
  const round = oldObject === undefined ? create : update;
  if (round === undefined) return await write(call, deps);

  let changed = call;
  let checked: Reply | undefined;
  let trial = await rehearse(call, deps, write);
  if (round.mutates && succeeded(trial)) {
    const tried = (object: JsonObject) => rehearse(lenient(updating(call, object)), deps, write);
    // What an apply is filled in with would belong to who applies it.
    const mutated = await round.mutate(trial.object, oldObject, isApply ? undefined : filledIn(tried));
    if (mutated !== trial.object) {
      checked = trial;
      changed = lenient(isApply ? { ...call, body: applying(body, trial.object, mutated) } : updating(call, mutated));
      trial = await rehearse(changed, deps, write);
    }
  }
  if (!succeeded(trial)) return trial;
  await round.validate(trial.object, oldObject);
  const reply = await write({ ...changed, body: bound(patchOf(changed), oldObject) }, deps);
  const isOther = reply.kind === 'object' && reply.status === 409 && oldObject !== undefined;
  if (isOther && !isLast && !namesVersion(body) && (await hasChanged(call, deps, oldObject))) return undefined;
  return withWarnings(reply, round, checked);
}

/** A conflict between who manages which field does not go away. */
async function hasChanged(call: Call, deps: VerbDeps, oldObject: JsonObject): Promise<boolean> {
  const now = await shownObject(call, deps, get);
  return now === undefined || versionOf(now) !== versionOf(oldObject);
}

/** The patch, for the version that admission has seen; one that names a version itself holds for that one. */
function bound(body: Body, oldObject: JsonObject | undefined): Body {
  const version = oldObject === undefined ? '' : versionOf(oldObject);
  if (version === '' || namesVersion(body)) return body;
  const document = cloneJson(body.document);
  if (Array.isArray(document)) {
    const guard = { op: 'add', path: '/metadata/resourceVersion', value: version };
    return { ...body, document: [...document, guard] };
  }
  return { ...body, document: { ...document, metadata: { ...metadataOf(document), resourceVersion: version } } };
}

function namesVersion({ contentType, document }: Body): boolean {
  if (contentType === JSON_PATCH || Array.isArray(document)) {
    return JSON.stringify(document).includes('/metadata/resourceVersion');
  }
  return versionOf(document) !== '';
}

function updating(call: Call, mutated: JsonObject): Call {
  const { managedFields: _managed, resourceVersion: _version, ...metadata } = metadataOf(mutated);
  const document = { ...mutated, metadata };
  return { ...call, body: { contentType: 'application/json', document }, info: { ...call.info, verb: 'update' } };
}

/** The applied configuration with what a mutation made different. */
function applying(body: Body, before: JsonObject, after: JsonObject): Body {
  const document = isObject(body.document as JsonObject) ? cloneJson(body.document as JsonObject) : {};
  const merged = withChanges(document, before, after);
  const metadata = metadataOf(merged);
  // An applied configuration must not say who manages what.
  delete metadata['managedFields'];
  metadata['name'] ??= nameOf(after);
  return { ...body, document: { ...merged, metadata } };
}

function withChanges(config: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const changed = new Map(Object.entries(config));
  for (const [name, value] of Object.entries(after)) {
    const was = before[name];
    if (was !== undefined && sameJson(was, value)) continue;
    const own = config[name];
    const isDeeper = isObject(value) && isObject(was);
    changed.set(name, isDeeper ? withChanges(isObject(own) ? own : {}, was, value) : value);
  }
  for (const name of Object.keys(before)) if (after[name] === undefined) changed.delete(name);
  return Object.fromEntries(changed);
}
