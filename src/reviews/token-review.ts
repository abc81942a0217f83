/**
 * TokenReview: whose token is this? Answered about the service-account tokens of the asking tenant alone; any other
 * token, of the host, of another tenant or of nobody, is an invalid one, and the answer does not tell which.
 *
 * @see k8s.io/kubernetes pkg/registry/authentication/tokenreview/storage.go at v1.36
 */
import { ApiError } from '../errors.ts';
import type { Authenticated, Identity } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import { audienceToUpstream } from '../tenancy/audiences.ts';
import { type Tenant, tokenAudience } from '../tenancy/tenant.ts';
import { badRequest, pruned, type ReviewHandler, read, reviewObject, reviewReply } from './review.ts';
import { userInfo } from './self-review.ts';

export interface CheckedToken {
  readonly identity: Identity;
  /** Those of the audiences asked for that the token is for; at least one. */
  readonly audiences: readonly string[];
}

/**
 * Undefined when the token is not one of this tenant for any of these audiences.
 * @throws {ApiError} ERR_UNAVAILABLE when that cannot be found out
 */
export type TokenCheck = (
  tenant: Tenant,
  token: string,
  audiences: readonly string[],
) => Promise<CheckedToken | undefined>;

export function tokenReview(check: TokenCheck): ReviewHandler {
  const kind = 'TokenReview';
  return async (request) => {
    const object = reviewObject(request, kind);
    const spec = read.object(object, 'spec') ?? {};
    const token = read.text(spec, 'token');
    const audiences = read.texts(spec, 'audiences');
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const asked = audiences.length === 0 ? [tokenAudience(request.tenant)] : audiences;
    const checked = await check(request.tenant, token, asked);
    return reviewReply(request, kind, { spec: { token, ...pruned({ audiences }) }, status: statusOf(checked) });
  };
}

function statusOf(checked: CheckedToken | undefined): JsonObject {
  if (checked === undefined) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user: userInfo(checked.identity), audiences: [...checked.audiences] };
}

/**
 * A check by the authenticator of requests. Each audience is looked for below the tenant's own, where its tokens are; one
 * that names the API is the tenant's own itself, which is all that a user's token of an issuer is for.
 */
export function checkByAuthenticator(
  authenticate: (token: string, tenant: Tenant, audiences: readonly string[]) => Promise<Authenticated>,
): TokenCheck {
  return async (tenant, token, asked) => {
    const upstream = asked.map((audience) => audienceToUpstream(tenant, audience));
    try {
      const {
        identity,
        tenantUid,
        audiences: held = [tokenAudience(tenant)],
      } = await authenticate(token, tenant, upstream);
      const audiences = asked.filter((_audience, at) => held.includes(upstream[at] ?? ''));
      return tenantUid === tenant.uid && audiences.length > 0 ? { identity, audiences } : undefined;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'ERR_UNAUTHORIZED') return undefined;
      throw error;
    }
  };
}
