/**
 * The status of a Tenant object: a phase, one condition `Ready` that says why in words for the host's operator, and the
 * CA of its client certificates.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
 */

import { metadataOf } from '../../k8s/meta.ts';
import { child, objects } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { sameJson } from '../../lib/same-json.ts';
import type { Tenant } from '../../tenancy/tenant.ts';

export interface TenantState {
  readonly phase: Tenant['phase'];
  /** One word, for programs. */
  readonly reason: string;
  /** What happened and what to do, for the operator. */
  readonly message: string;
  readonly clientCa?: string;
}

/** The status to write, or undefined when the stored one says all of it already. `nowMs` is epoch milliseconds. */
export function nextStatus(tenant: JsonObject, state: TenantState, nowMs: number): JsonObject | undefined {
  const stored = child(tenant, 'status');
  const generation = metadataOf(tenant)['generation'] ?? 0;
  const old = readyCondition(stored);
  const status = state.phase === 'Active' ? 'True' : 'False';
  const lastTransitionTime = old?.['status'] === status ? (old['lastTransitionTime'] ?? null) : null;
  const clientCa = state.clientCa ?? stored['clientCa'];
  const next: JsonObject = {
    phase: state.phase,
    observedGeneration: generation,
    ...(typeof clientCa === 'string' ? { clientCa } : {}),
    conditions: [
      {
        type: 'Ready',
        status,
        reason: state.reason,
        message: state.message,
        observedGeneration: generation,
        lastTransitionTime: lastTransitionTime ?? `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
      },
    ],
  };
  return sameJson(stored, next) ? undefined : next;
}

function readyCondition(status: JsonObject): JsonObject | undefined {
  return objects(status, 'conditions').find((condition) => condition['type'] === 'Ready');
}
