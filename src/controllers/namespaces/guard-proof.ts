/**
 * Asks the host, as the tenant, whether a right is there. The host's authorizer learns of a new binding a few
 * milliseconds after it is stored (measured: 10 of 100 immediate uses were refused), and tells nobody when it has;
 * so this asks until the answer is yes.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import { isObject, type JsonObject } from '../../k8s/types.ts';
import { pause } from '../../lib/backoff.ts';
import type { Upstream, UpstreamIdentity } from '../../ports.ts';
import type { TenantId } from '../../tenancy/names.ts';
import { createHostClient, HostError } from '../../upstream/host-client.ts';
import { PATHS } from '../host/host-objects.ts';

export interface RightToProve {
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

/** What every guard grants and nothing else does. */
export function guardRight(namespace: string): RightToProve {
  return { namespace, group: '', resource: 'configmaps', verb: 'create' };
}

/** Pauses between questions; together about two seconds. The first question is asked at once. */
const PAUSES_MS = [1, 2, 4, 8, 16, 32, 64, 128, 250, 250, 500, 750];

/** The controllers, in a tenant's name. */
export function controllerIdentity(tenant: TenantId, trusted = false): UpstreamIdentity {
  return { as: 'tenant', tenant, trusted, user: 'controllers' };
}

/** Resolves when the host says yes. @throws {Error} when it still says no after about two seconds */
export async function proveRight(
  upstream: Upstream,
  tenant: TenantId,
  right: RightToProve,
  signal: AbortSignal,
): Promise<void> {
  const client = createHostClient(upstream, controllerIdentity(tenant), signal);
  let last = 'no answer';
  for (const pauseMs of [...PAUSES_MS, 0]) {
    try {
      const { status } = await client.create(PATHS.accessReviews, review(right));
      if (isObject(status) && status['allowed'] === true) return;
      last = 'the review says no';
    } catch (error) {
      // The list of whom the data path may impersonate takes its moment too.
      if (!(error instanceof HostError) || error.status !== 403) throw error;
      last = error.message;
    }
    if (!(await pause(pauseMs, signal))) break;
  }
  throw new Error(`${right.verb} ${right.resource} in ${right.namespace} is not a right of ${tenant} yet: ${last}`);
}

function review({ namespace, group, resource, verb }: RightToProve): JsonObject {
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { namespace, group, resource, verb } },
  };
}
