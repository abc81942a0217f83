/** UPDATE of an object or a subresource: the whole object, as the tenant sees it. */
import { cloneJson } from '../codec/json.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, uidOf, versionOf } from '../k8s/meta.ts';
import type { JsonObject } from '../k8s/types.ts';
import { isCreatedByUpdate } from '../kinds/created-by-update.ts';
import { checkNames } from '../translate/names-check.ts';
import { toUpstream } from '../translate/object.ts';
import { objectReply } from './answer.ts';
import { objectOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { confirmCreation } from './confirm-creation.ts';
import { confirmGrant } from './confirm-grant.ts';
import { refuseSecondDefault } from './default-class.ts';
import { ensureNamespace } from './ensure-namespace.ts';
import { withHidden } from './namespaces.ts';
import { verbParameters } from './query.ts';
import { readMergeWrite, readStored } from './read-merge-write.ts';
import { isNamespaces, routeOf } from './route.ts';
import { sendWrite } from './send.ts';
import { storeStanding } from './store-standing.ts';
import { upstreamNameOf } from './upstream-name.ts';
import { behaviourOf, completeVirtual } from './virtual-kinds.ts';

export async function update(call: Call, deps: VerbDeps): Promise<Reply> {
  const { subresource, query } = call.info;
  const given = objectOf(call);
  mustMeet(given, await confirmCreation(call, deps));
  await confirmGrant(call, deps, given);
  const object = await completeVirtual(call, deps, given, true);
  if (subresource === '') {
    checkNames(object, call.at, call.scope);
    refuseSecondDefault(object, call, deps);
  }
  await ensureNamespace(call, deps);
  const stood = await storeStanding(call, deps);
  if (stood !== undefined) takeOver(object, stood);
  if (isMadeHere(call) && (await readStored(call, deps)) === undefined) return await make(call, deps, object);
  if (behaviourOf(call, deps)?.unconditionalUpdate === true && versionOf(object) === '') {
    // The native kind takes an update without a revision; a custom resource does not.
    return await readMergeWrite(call, deps, () => cloneJson(object), update);
  }
  const route = routeOf(call, deps, 'write');
  const document = toUpstream(object, call.at, call.scope, subresource);
  const answer = await sendWrite(call, deps, route, {
    method: 'PUT',
    name: upstreamNameOf(call),
    subresource,
    query: verbParameters(query, 'update'),
    document: isNamespaces(call) ? withHidden(call, deps, document) : document,
  });
  return objectReply(call, deps, route, answer);
}

/** The native kind is made by an update of what is not there; a custom resource is not. */
function isMadeHere({ at, info }: Call): boolean {
  return at.class === 'virtual' && info.subresource === '' && isCreatedByUpdate(at.kind);
}

async function make(call: Call, deps: VerbDeps, object: JsonObject): Promise<Reply> {
  const route = routeOf(call, deps, 'write');
  metadataOf(object)['name'] ??= call.info.name;
  const answer = await sendWrite(call, deps, route, {
    method: 'POST',
    query: verbParameters(call.info.query, 'create'),
    document: toUpstream(object, call.at, call.scope),
  });
  return objectReply(call, deps, route, answer);
}

/** The update then fails where the object is another or none by now. @param uid undefined: any, or none, will do */
function mustMeet(object: JsonObject, uid: string | undefined): void {
  if (uid !== undefined) metadataOf(object)['uid'] ??= uid;
}

/** What a client read of an object that was not stored then holds for the one that is stored now, and is the same. */
function takeOver(object: JsonObject, standing: JsonObject): void {
  const metadata = metadataOf(object);
  if (versionOf(object) === versionOf(standing)) delete metadata['resourceVersion'];
  if (uidOf(object) === uidOf(standing)) delete metadata['uid'];
}
