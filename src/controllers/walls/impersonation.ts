/**
 * How the host limits whom an account impersonates. With constrained impersonation rights name users and groups, and verbs
 * and kinds of the requests in their name; the one right of old, `impersonate`, names users and groups only. Asked of the
 * host itself: in the name of a tenant that there can never be, which every host refuses, in words that say which right is
 * lacking. What is not understood is neither.
 *
 * The host tries first, for each account, what let it impersonate the last time, and names that right. So the form is asked
 * as an account that is never let.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 * @see k8s.io/apiserver pkg/endpoints/filters/impersonation/constrained_impersonation.go at v0.36
 */
import type { Upstream, UpstreamIdentity } from '../../ports.ts';
import { NOBODY } from '../../tenancy/host-names.ts';
import { createHostClient, HostError } from '../../upstream/host-client.ts';
import { controllerIdentity } from '../namespaces/guard-proof.ts';

export type ImpersonationForm = 'constrained' | 'legacy';

const CONSTRAINED = /cannot impersonate(-on)?:user-info/;
const LEGACY = /cannot impersonate resource "users" in API group ""/;
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/**
 * What this host goes by.
 * @throws {HostError} or ApiError when it cannot be asked; {Error} when its answer is none that is known
 */
export async function impersonationForm(upstream: Upstream, signal: AbortSignal): Promise<ImpersonationForm> {
  const refusal = await refusalOf(upstream, { as: 'nobody' }, signal);
  if (refusal !== undefined && CONSTRAINED.test(refusal)) return 'constrained';
  if (refusal !== undefined && LEGACY.test(refusal)) return 'legacy';
  throw new Error(`how this host limits impersonation is not known: ${refusal ?? 'it lets an account be anybody'}`);
}

/**
 * Why this host will not do, in words for its operator; undefined when it will.
 * @throws as {@link impersonationForm}
 */
export async function impersonationProblem(upstream: Upstream, signal: AbortSignal): Promise<string | undefined> {
  for (const identity of [controllerIdentity(NOBODY), { as: 'nobody' }] as const) {
    if ((await refusalOf(upstream, identity, signal)) === undefined) {
      const who = identity.as === 'nobody' ? 'reader' : 'data path';
      return `this host lets the account of the ${who} impersonate anybody: take away rights that deploy/ does not give`;
    }
  }
  await impersonationForm(upstream, signal);
  return undefined;
}

/** The words of the refusal; undefined when there is none. */
async function refusalOf(
  upstream: Upstream,
  identity: UpstreamIdentity,
  signal: AbortSignal,
): Promise<string | undefined> {
  const client = createHostClient(upstream, identity, signal);
  try {
    await client.create(REVIEWS, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  } catch (error) {
    if (error instanceof HostError && error.status === 403) return error.message;
    throw error;
  }
  return undefined;
}
