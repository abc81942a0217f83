/**
 * Before a write: the namespace must be there, guarded, and the guard proven. A system namespace that a tenant has only
 * been shown so far is made now.
 */
import { notFound } from '../errors.ts';
import { SYSTEM_NAMESPACES } from '../tenancy/tenant.ts';
import type { Call, VerbDeps } from './call.ts';

/** @throws {ApiError} ERR_NOT_FOUND when the tenant has no such namespace, as the API server says it */
export async function ensureNamespace(call: Call, deps: VerbDeps): Promise<void> {
  if (!call.at.kind.namespaced || call.info.namespace === '') return;
  const { namespace } = call.info;
  const state = deps.namespaces.state(call.tenant.id, namespace);
  // A namespace that is going still takes changes to what is in it; upstream refuses what is new.
  if (state === 'ready' || state === 'terminating') return;
  if (state === 'absent' && !SYSTEM_NAMESPACES.includes(namespace)) {
    // This replica may not have seen it yet: the provisioner asks upstream before anyone is told that it is not there.
    if (!(await deps.provisioner.exists(call.tenant, namespace))) {
      throw notFound({ group: '', what: 'namespaces', name: namespace });
    }
  }
  await deps.provisioner.ensureReady(call.tenant, namespace);
}
