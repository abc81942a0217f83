/**
 * Writes of namespaces. The host lets nobody but the provisioner make or change a tenant's namespace, since its label
 * and its guard come with it; so these run as the provisioner, on a name that is checked once more just before.
 */
import { stringifyJson } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf } from '../k8s/meta.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { UpstreamResponse } from '../ports.ts';
import { tenantOf, type UpstreamName } from '../tenancy/names.ts';
import { TENANT_UID_ANNOTATION } from '../tenancy/tenant.ts';
import { applyPatch } from '../translate/apply.ts';
import { checkNames } from '../translate/names-check.ts';
import { toUpstream } from '../translate/object.ts';
import { isSuccess, objectReply, parseAnswer, upstreamAccept } from './answer.ts';
import type { Call, Host } from './call.ts';
import { documentOf, isDryRun, matchesUrl } from './create.ts';
import { deleteOptions } from './delete.ts';
import { mappedPatch } from './patch.ts';
import type { Place } from './place.ts';
import { plainParameters, tableParameters } from './query.ts';
import { readMergeWrite } from './read-merge-write.ts';
import { standingObject } from './standing.ts';
import { upstreamNameOf } from './upstream-name.ts';

const PLACE: Place = {
  identity: { as: 'provisioner' },
  collection: '/api/v1/namespaces',
  labels: [],
  unconfined: true,
};
/** As the API server's NamespaceLifecycle admission. */
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

export async function create(call: Call, host: Host): Promise<Reply> {
  const object = documentOf(call);
  matchesUrl(call, object);
  checkNames(object, call.at, call.scope);
  const name = String((object['metadata'] as { name?: unknown }).name ?? '');
  const named: Call = { ...call, info: { ...call.info, name } };
  if (standingObject(named, host) !== undefined) {
    const details = { name, kind: 'namespaces' };
    throw new ApiError('ERR_ALREADY_EXISTS', `namespaces ${JSON.stringify(name)} already exists`, { details });
  }
  const query = plainParameters(call.info.query, 'create');
  const answer = await host.provisioner.createNamespace(call.tenant, toUpstream(object, call.at, call.scope), query);
  return written(call, host, answer);
}

export async function update(call: Call, host: Host): Promise<Reply> {
  const object = documentOf(call);
  matchesUrl(call, object);
  await stored(call, host);
  const answer = await host.upstream.request({
    identity: PLACE.identity,
    method: 'PUT',
    path: pathOf(call),
    query: [...plainParameters(call.info.query, 'update'), ...tableParameters(call)],
    accept: upstreamAccept(call),
    contentType: 'application/json',
    body: stringifyJson(withTenantUid(toUpstream(object, call.at, call.scope), call)),
    signal: call.head.signal,
  });
  return written(call, host, answer);
}

/** A PUT says everything, so also what the tenant does not see: which Tenant the namespace was made for. */
function withTenantUid(object: JsonObject, call: Call): JsonObject {
  const metadata = metadataOf(object);
  const annotations = isObject(metadata['annotations']) ? metadata['annotations'] : {};
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [TENANT_UID_ANNOTATION]: call.tenant.uid } },
  };
}

export async function patch(call: Call, host: Host): Promise<Reply> {
  if (call.body === undefined) throw new ApiError('ERR_BAD_REQUEST', 'the request has no patch in its body');
  if (call.body.contentType === 'application/apply-patch+yaml' && call.info.subresource === '') {
    // Apply creates what is not there; a namespace is only ever made with its guard.
    await applied(call, host);
  } else {
    await stored(call, host);
  }
  const mapped = mappedPatch(call, call.body);
  if (mapped === undefined) {
    const { document, contentType } = call.body;
    return await readMergeWrite(call, host, (current) => applyPatch(current, document, contentType), update);
  }
  const answer = await host.upstream.request({
    identity: PLACE.identity,
    method: 'PATCH',
    path: pathOf(call),
    query: [...plainParameters(call.info.query, 'patch'), ...tableParameters(call)],
    accept: upstreamAccept(call),
    contentType: call.body.contentType,
    body: stringifyJson(mapped),
    signal: call.head.signal,
  });
  return written(call, host, answer);
}

async function remove(call: Call, host: Host): Promise<Reply> {
  const { name } = call.info;
  if (IMMORTAL.has(name)) {
    const details = { name, kind: 'namespaces' };
    throw new ApiError(
      'ERR_FORBIDDEN',
      `namespaces ${JSON.stringify(name)} is forbidden: this namespace may not be deleted`,
      { details },
    );
  }
  await stored(call, host);
  const options = deleteOptions(call);
  const answer = await host.upstream.request({
    identity: PLACE.identity,
    method: 'DELETE',
    path: pathOf(call),
    query: plainParameters(call.info.query, 'delete'),
    ...(options === undefined ? {} : { contentType: 'application/json', body: options }),
    signal: call.head.signal,
  });
  return written(call, host, answer);
}

/** The API server has no such method for namespaces. */
function deletecollection(): Promise<Reply> {
  throw new ApiError('ERR_METHOD_NOT_ALLOWED', 'the server does not allow this method on the requested resource');
}

export { deletecollection, remove as delete };

function written(call: Call, host: Host, answer: UpstreamResponse): Reply {
  if (isSuccess(answer) && !isDryRun(call)) {
    const object = parseAnswer(answer);
    if (object['kind'] === 'Namespace') host.onWritten(call.at, object);
  }
  return objectReply(call, host, PLACE, answer);
}

function pathOf(call: Call): string {
  const name = upstreamNameOf(call);
  // This account is not confined to a tenant, so the name is derived once more, apart from the translator.
  if (tenantOf(name as UpstreamName) !== call.tenant.id)
    throw new Error(`namespace ${name} is not of tenant ${call.tenant.id}`);
  const path = `${PLACE.collection}/${encodeURIComponent(name)}`;
  return call.info.subresource === '' ? path : `${path}/${call.info.subresource}`;
}

async function stored(call: Call, host: Host): Promise<void> {
  const standing = standingObject(call, host);
  if (standing !== undefined) await host.standing.store(call, standing);
}

async function applied(call: Call, host: Host): Promise<void> {
  const name = call.info.name as never;
  if (host.namespaces.state(call.tenant.id, name) !== 'absent' || isDryRun(call)) return await stored(call, host);
  if (await host.provisioner.exists(call.tenant, name)) return;
  const bare = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: call.info.name } };
  checkNames(bare, call.at, call.scope);
  const made = await host.provisioner.createNamespace(call.tenant, toUpstream(bare, call.at, call.scope), []);
  if (isSuccess(made)) host.onWritten(call.at, parseAnswer(made));
}
