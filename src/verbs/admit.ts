/**
 * Writes of which the tenant's own admission has an opinion. What the host would store is worked out by a dry run, shown
 * to policies and webhooks, and written only if it is still made from the state that they have seen.
 *
 *   create   dry run -> mutate -> (dry run) -> validate -> write, under the name that the dry run found
 *   update   the same beside the object as it is; the write names the version that was read
 *   patch    the same; a patch that nothing changed goes up as it is, another as an update, an apply with what was added
 *   delete   the object as it is -> validate -> delete that very object
 *
 * Where the client named no version itself and somebody else was faster, all of it is done again.
 *
 * @see docs/decisions/0020-admission-by-rehearsal.md
 */
import { cloneJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, nameOf, uidOf, versionOf } from '../k8s/meta.ts';
import { child, objects } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { AdmissionRound } from '../ports.ts';
import { subjectOf } from './admission-subject.ts';
import { admitPatch } from './admit-patch.ts';
import { objectOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { deleteOptionsOf } from './delete-options.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { filledIn, isUnreadable, lenient, rehearse, shownObject, succeeded, withWarnings } from './rehearsal.ts';

/** Serves a write without any admission, by the verb of its call. */
export type Write = (call: Call, deps: VerbDeps) => Promise<Reply>;

const TRIES = 5;

export async function admit(call: Call, deps: VerbDeps, write: Write): Promise<Reply> {
  switch (call.info.verb) {
    case 'create':
      return await admitCreate(call, deps, write);
    case 'update':
      return await repeatedly(call, deps, write, admitUpdate);
    case 'patch':
      return await repeatedly(call, deps, write, admitPatch);
    case 'delete':
      return await admitDelete(call, deps, write);
    case 'deletecollection':
      return await admitDeleteCollection(call, deps, write);
    default:
      return await write(call, deps);
  }
}

async function admitCreate(call: Call, deps: VerbDeps, write: Write): Promise<Reply> {
  const given = cloneJson(objectOf(call));
  const round = deps.admission(subjectOf(call, deps, 'CREATE', call.info.name || nameOf(given)));
  if (round === undefined) return await write(call, deps);
  const named = (document: JsonObject): Call => ({ ...call, body: { contentType: 'application/json', document } });
  if (call.info.subresource !== '') {
    // An eviction or a token is nothing that a dry run could show.
    const made = round.mutates ? await round.mutate(given, undefined) : given;
    await round.validate(made, undefined);
    return withWarnings(await write(named(cloneJson(made)), deps), round);
  }
  let document = given;
  let final = named;
  let checked: Reply | undefined;
  let trial = await rehearse(named(given), deps, write);
  if (isUnreadable(trial)) return trial;
  if (round.mutates) {
    // What the host refuses as it stands may be just what a mutation mends.
    const shown = succeeded(trial) ? withoutStored(trial.object, given) : given;
    const asChanged = (object: JsonObject) => lenient(named(object));
    const tried = (object: JsonObject) => rehearse(asChanged(unmanaged(object)), deps, write);
    const mutated = await round.mutate(
      shown,
      undefined,
      filledIn(tried, (made) => withoutStored(made, given)),
    );
    if (mutated !== shown) {
      document = unmanaged(mutated);
      if (succeeded(trial)) checked = trial;
      final = asChanged;
      trial = await tried(mutated);
    }
  }
  if (!succeeded(trial)) return trial;
  await round.validate(trial.object, undefined);
  const made = cloneJson(document);
  metadataOf(made)['name'] = nameOf(trial.object);
  return withWarnings(await write(final(made), deps), round, checked);
}

const STORED = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'selfLink'] as const;

/** A dry run's object as it is before it is stored: mutations see no more of it, and it may be written again. */
function withoutStored(object: JsonObject, given: JsonObject): JsonObject {
  const copy = cloneJson(object);
  const metadata = metadataOf(copy);
  for (const name of STORED) delete metadata[name];
  if (nameOf(given) === '') delete metadata['name'];
  const { status } = copy;
  if (given['status'] === undefined && isObject(status)) copy['status'] = unset(status);
  copy['metadata'] = metadata;
  return copy;
}

/** A status before the server sets what it begins with; its other fields are then as in an object without any. */
function unset({ phase: _phase, qosClass: _class, ...status }: JsonObject): JsonObject {
  return status;
}

/** One try; undefined when the object that it was made from has changed meanwhile. */
type Try = (call: Call, deps: VerbDeps, write: Write, isLast: boolean) => Promise<Reply | undefined>;

async function repeatedly(call: Call, deps: VerbDeps, write: Write, attempt: Try): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    const body = call.body === undefined ? undefined : { ...call.body, document: cloneJson(call.body.document) };
    const reply = await attempt({ ...call, body }, deps, write, tries >= TRIES);
    if (reply !== undefined) return reply;
  }
}

async function admitUpdate(call: Call, deps: VerbDeps, write: Write, isLast: boolean): Promise<Reply | undefined> {
  const round = deps.admission(subjectOf(call, deps, 'UPDATE'));
  const given = round === undefined ? undefined : cloneJson(objectOf(call));
  const oldObject = round === undefined ? undefined : await shownObject(call, deps, get);
  if (round === undefined || given === undefined || oldObject === undefined) return await write(call, deps);
  const document = cloneJson(given);
  const named = (object: JsonObject): Call => ({
    ...call,
    body: { contentType: 'application/json', document: object },
  });
  const updated = await admitObject(named, document, oldObject, round, deps, write);
  const ownVersion = versionOf(given);
  const mayRepeat = ownVersion === '' && !isLast;
  if ('refused' in updated) return mayRepeat && isConflict(updated.refused) ? undefined : updated.refused;
  if (ownVersion === '') metadataOf(updated.document)['resourceVersion'] = versionOf(oldObject);
  const { checked } = updated;
  const asked = named(updated.document);
  const reply = await write(checked === undefined ? asked : lenient(asked), deps);
  if (mayRepeat && isConflict(reply)) return undefined;
  return withWarnings(reply, round, checked);
}

/** What is to be written, with the rehearsal of what it was made of where it is another; or the refusal of the host. */
async function admitObject(
  named: (object: JsonObject) => Call,
  given: JsonObject,
  oldObject: JsonObject,
  round: AdmissionRound,
  deps: VerbDeps,
  write: Write,
): Promise<{ refused: Reply } | { document: JsonObject; checked?: Reply | undefined }> {
  let document = given;
  let checked: Reply | undefined;
  let trial = await rehearse(named(cloneJson(given)), deps, write);
  if (isUnreadable(trial)) return { refused: trial };
  if (round.mutates) {
    const shown = succeeded(trial) ? trial.object : given;
    const tried = (object: JsonObject) => rehearse(lenient(named(unmanaged(object))), deps, write);
    const mutated = await round.mutate(shown, oldObject, filledIn(tried));
    if (mutated !== shown) {
      document = unmanaged(mutated);
      if (succeeded(trial)) checked = trial;
      trial = await tried(mutated);
    }
  }
  if (!succeeded(trial)) return { refused: trial };
  await round.validate(trial.object, oldObject);
  return { document, checked };
}

/** Who manages which field is the host's to say. */
function unmanaged(object: JsonObject): JsonObject {
  const { managedFields: _managed, ...metadata } = metadataOf(object);
  return { ...object, metadata };
}

function isConflict(reply: Reply): boolean {
  return reply.kind === 'object' && reply.status === 409;
}

/** @param name as admission is told: of the members of a collection none */
async function admitDelete(call: Call, deps: VerbDeps, write: Write, name = call.info.name): Promise<Reply> {
  const round = deps.admission(subjectOf(call, deps, 'DELETE', name));
  const oldObject = round === undefined ? undefined : await shownObject(call, deps, get);
  if (round === undefined || oldObject === undefined) return await write(call, deps);
  await round.mutate(undefined, oldObject);
  await round.validate(undefined, oldObject);
  return withWarnings(await write(onlyThis(call, oldObject), deps), round);
}

/** The deletion of this very object, which admission has seen, and of none that took its place. */
function onlyThis(call: Call, object: JsonObject): Call {
  const options = deleteOptionsOf(call);
  const preconditions = { uid: uidOf(object), ...child(options, 'preconditions') };
  return { ...call, body: { contentType: 'application/json', document: { ...options, preconditions } } };
}

/** One by one, each admitted; the first refusal ends it, as on the API server. */
async function admitDeleteCollection(call: Call, deps: VerbDeps, write: Write): Promise<Reply> {
  const subject = subjectOf(call, deps, 'DELETE');
  if (deps.admission({ ...subject, anyName: true }) === undefined) return await write(call, deps);
  const plain = { ...call.accept, as: undefined };
  const listed = await list({ ...call, accept: plain, body: undefined, info: { ...call.info, verb: 'list' } }, deps);
  if (listed.kind !== 'object' || listed.status !== 200) return listed;
  for (const item of objects(listed.object, 'items')) {
    const one: Call = {
      ...onlyThis(call, item),
      accept: plain,
      info: { ...call.info, verb: 'delete', name: nameOf(item) },
    };
    const reply = await admitDelete(one, deps, write, '').catch(goneAlready);
    if (reply?.kind === 'object' && reply.status >= 400 && reply.status !== 404 && reply.status !== 409) return reply;
  }
  return listed;
}

function goneAlready(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'ERR_NOT_FOUND') return undefined;
  throw error;
}
