/**
 * What is different about namespaces: each is made together with its guard and only so, belongs to the Tenant object
 * that it was made for, and some cannot be deleted. Everything else is as for any kind, by the route of the provisioner.
 */
import { ApiError } from '../errors.ts';
import type { Reply } from '../exchange.ts';
import { metadataOf, nameOf } from '../k8s/meta.ts';
import { child } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { withGuardsOf } from '../tenancy/host-guards.ts';
import type { TenantName } from '../tenancy/names.ts';
import { TENANT_UID_ANNOTATION } from '../tenancy/tenant.ts';
import { checkNames } from '../translate/names-check.ts';
import { toUpstream } from '../translate/object.ts';
import { objectReply, refusalReply } from './answer.ts';
import { objectOf } from './body.ts';
import type { Call, VerbDeps } from './call.ts';
import { isDryRun, verbParameters } from './query.ts';
import { isNamespaces, routeOf } from './route.ts';
import { isSuccess, sendNamespace } from './send.ts';
import { refuseStanding } from './standing.ts';

/** As the API server's NamespaceLifecycle admission. */
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

export async function createNamespace(call: Call, deps: VerbDeps): Promise<Reply> {
  const object = objectOf(call);
  checkNames(object, call.at, call.scope);
  refuseStanding(call, deps, nameOf(object));
  refuseBeyondQuota(call, deps, nameOf(object));
  const document = toUpstream(object, call.at, call.scope);
  const answer = await sendNamespace(call, deps, document, verbParameters(call.info.query, 'create'));
  return objectReply(call, deps, routeOf(call, deps, 'write'), answer);
}

/**
 * Apply creates what is not there, but a namespace is only ever made with its guard: it is made, then applied to.
 * Returns the refusal when it cannot be made.
 */
export async function createForApply(call: Call, deps: VerbDeps): Promise<Reply | undefined> {
  const { name, query } = call.info;
  const namespace = name as TenantName;
  if (isDryRun(query) || deps.namespaces.state(call.tenant.id, namespace) !== 'absent') return undefined;
  if (await deps.provisioner.exists(call.tenant, namespace)) return undefined;
  const bare = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  checkNames(bare, call.at, call.scope);
  refuseBeyondQuota(call, deps, name);
  const answer = await sendNamespace(call, deps, toUpstream(bare, call.at, call.scope), []);
  // Somebody else may have been faster.
  return isSuccess(answer) || answer.status === 409 ? undefined : refusalReply(call, answer);
}

/** @throws {ApiError} ERR_FORBIDDEN for the deletion of a namespace that every cluster has */
export function refuseImmortal(call: Call): void {
  const { name } = call.info;
  if (!isNamespaces(call) || !IMMORTAL.has(name)) return;
  throw new ApiError(
    'ERR_FORBIDDEN',
    `namespaces ${JSON.stringify(name)} is forbidden: this namespace may not be deleted`,
    { details: { name, kind: 'namespaces' } },
  );
}

/**
 * A PUT says everything, so also what the tenant does not see: which Tenant the namespace was made for, and what its
 * policy says of it.
 */
export function withHidden(call: Call, deps: Pick<VerbDeps, 'namespaces'>, namespace: JsonObject): JsonObject {
  const guarded = withGuardsOf(namespace, deps.namespaces.get(call.tenant.id, call.info.name as TenantName));
  const metadata = metadataOf(guarded);
  return {
    ...guarded,
    metadata: {
      ...metadata,
      annotations: { ...child(metadata, 'annotations'), [TENANT_UID_ANNOTATION]: call.tenant.uid },
    },
  };
}

/** @throws {ApiError} ERR_FORBIDDEN when the tenant has as many of this kind as it may have */
export function refuseBeyondQuota(call: Call, deps: Pick<VerbDeps, 'quotaRefusal'>, name: string): void {
  const refusal = deps.quotaRefusal({ ...call, info: { ...call.info, name } });
  if (refusal !== undefined) throw refusal;
}
