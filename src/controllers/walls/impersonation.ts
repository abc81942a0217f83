/**
 * Can the host limit whom an account impersonates, by name and for listed verbs (constrained impersonation)? Asked of the
 * host itself: in the name of a tenant that there can never be, which every host refuses. One that can limit says which
 * of the limited rights is lacking; any other asks for the one right `impersonate`, which the data path must not have.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
import type { Upstream } from '../../ports.ts';
import type { TenantId } from '../../tenancy/names.ts';
import { createHostClient, HostError } from '../../upstream/host-client.ts';
import { controllerIdentity } from '../namespaces/guard-proof.ts';

/** Reserved, so no list that the host keeps ever names it. */
const NOBODY = 'system' as TenantId;
const UNLIMITED = /cannot impersonate resource/;
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/**
 * Why this host will not do, in words for its operator; undefined when it will.
 * @throws {HostError} or ApiError when it cannot be asked
 */
export async function impersonationProblem(upstream: Upstream, signal: AbortSignal): Promise<string | undefined> {
  const client = createHostClient(upstream, controllerIdentity(NOBODY), signal);
  try {
    await client.create(REVIEWS, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  } catch (error) {
    if (!(error instanceof HostError) || error.status !== 403) throw error;
    if (!UNLIMITED.test(error.message)) return undefined;
    return 'this host cannot limit impersonation: needs Kubernetes 1.36, or 1.35 with the feature gate ConstrainedImpersonation';
  }
  return 'this host lets the account of the data path impersonate anybody: take away rights that deploy/ does not give';
}
