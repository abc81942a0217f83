/**
 * A write to an object that only stands so far: it is stored first, as it stands, so that there is something to change.
 */
import { cloneJson } from '../codec/json.ts';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { TenantName, UpstreamName } from '../tenancy/names.ts';
import { toUpstream } from '../translate/object.ts';
import type { Call, VerbDeps } from './call.ts';
import { isNamespaces, routeOf } from './route.ts';
import { sendWrite } from './send.ts';
import { standingObject } from './standing.ts';

/** Stores the object that the request names. Returns it as it stood, when it was stored just now. */
export async function storeStanding(call: Call, deps: VerbDeps): Promise<JsonObject | undefined> {
  const standing = standingObject(call, deps, call.info.name);
  if (standing === undefined) return undefined;
  const stores = isNamespaces(call) ? storeNamespace : storeObject;
  return (await stores(call, deps, standing)) ? standing : undefined;
}

async function storeNamespace(call: Call, deps: VerbDeps, standing: JsonObject): Promise<boolean> {
  const name = nameOf(standing) as TenantName;
  const wasStored = deps.namespaces.get(call.tenant.id, name) !== undefined;
  await deps.provisioner.ensureReady(call.tenant, name);
  return !wasStored;
}

async function storeObject(call: Call, deps: VerbDeps, standing: JsonObject): Promise<boolean> {
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, ...metadata } = metadataOf(standing);
  const route = routeOf(call, deps, 'write');
  const document = toUpstream(cloneJson({ ...standing, metadata }), call.at, call.scope);
  const answer = await sendWrite(call, deps, route, { method: 'POST', query: [], document });
  // Already stored (409) is as good; any other refusal meets the write that follows as well.
  if (answer.status !== 201) return false;
  const status = isObject(document) ? document['status'] : undefined;
  if (status !== undefined && call.at.kind.subresources['status'] !== undefined) {
    // A creation leaves it out.
    await sendWrite(call, deps, route, {
      method: 'PUT',
      name: nameOf(answer.document) as UpstreamName,
      subresource: 'status',
      query: [],
      document: { ...answer.document, status },
    });
  }
  return true;
}
