/**
 * The status of a Tenant object: a phase, a condition `Ready` that says why in words for the host's operator, one named
 * `Relay` while what its policy asks for is not set up on the host, and the CA of its client certificates.
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
  /** The policy asks for the relay, and the host has none: what to do. */
  readonly noRelay?: string | undefined;
}

/** The status to write, or undefined when the stored one says all of it already. `nowMs` is epoch milliseconds. */
export function nextStatus(tenant: JsonObject, state: TenantState, nowMs: number): JsonObject | undefined {
  const stored = child(tenant, 'status');
  const generation = metadataOf(tenant)['generation'] ?? 0;
  const condition = (type: string, isTrue: boolean, reason: string, message: string): JsonObject => {
    const old = objects(stored, 'conditions').find((one) => one['type'] === type);
    const status = isTrue ? 'True' : 'False';
    const since = old?.['status'] === status ? (old['lastTransitionTime'] ?? null) : null;
    const lastTransitionTime = since ?? `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
    return { type, status, reason, message, observedGeneration: generation, lastTransitionTime };
  };
  const clientCa = state.clientCa ?? stored['clientCa'];
  const next: JsonObject = {
    phase: state.phase,
    observedGeneration: generation,
    ...(typeof clientCa === 'string' ? { clientCa } : {}),
    conditions: [
      condition('Ready', state.phase === 'Active', state.reason, state.message),
      ...(state.noRelay === undefined ? [] : [condition('Relay', false, 'NotSetUp', state.noRelay)]),
    ],
  };
  return sameJson(stored, next) ? undefined : next;
}
