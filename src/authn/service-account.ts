/**
 * Service-account tokens, as TokenRequest gives them through this proxy.
 *
 * The signature is checked here with the host's keys; the audience must be that of the tenant in whose namespace the
 * account lives, which carries the tenant's uid. Then the host is asked whether account and pod still exist; its answer
 * is kept for seconds only. Names are the tenant's from here on.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens
 */
import { createHash } from 'node:crypto';
import { decodeJwt, errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors.ts';
import type { Authenticated, Identity } from '../exchange.ts';
import { isObject } from '../k8s/types.ts';
import type { TenantRegistry, Upstream } from '../ports.ts';
import { tenantOf, toTenantName, type UpstreamName } from '../tenancy/names.ts';
import { type Tenant, tokenAudience } from '../tenancy/tenant.ts';
import type { IssuerKeys } from './issuer-keys.ts';

export interface ServiceAccountOptions {
  upstream: Upstream;
  tenants: TenantRegistry;
  keys: IssuerKeys;
  nowMs: () => number;
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256'];
const TOKEN_BYTES = 16_384;
/** A deleted account or pod loses access within this. */
const REVIEW_TTL_MS = 2_000;
const SUBJECT = /^system:serviceaccount:([^:]+):([^:]+)$/;

export function serviceAccountAuthenticator(options: ServiceAccountOptions): (token: string) => Promise<Authenticated> {
  const reviewed = new LRUCache<string, Promise<Identity>>({ max: 20_000, ttl: REVIEW_TTL_MS });

  return async (token) => {
    if (token.length > TOKEN_BYTES) throw refused('the token is too long', 'token-size');
    const tenant = claimedTenant(token, options.tenants);
    const expiresAtMs = await verify(token, tenant, options);
    const hash = createHash('sha256').update(token).digest('base64');
    let identity = reviewed.get(hash);
    if (identity === undefined) {
      identity = review(token, tenant, options.upstream);
      reviewed.set(hash, identity);
      identity.catch(() => reviewed.delete(hash));
    }
    return {
      identity: await identity,
      tenant: tenant.id,
      tenantUid: tenant.uid,
      how: 'service-account-token',
      expiresAtMs,
    };
  };
}

/** Whose token it says it is. Nothing is believed yet. */
function claimedTenant(token: string, tenants: TenantRegistry): Tenant {
  let subject: string | undefined;
  try {
    subject = decodeJwt(token).sub;
  } catch (cause) {
    throw refused('the bearer token is not a token of this cluster', 'token-malformed', cause);
  }
  const namespace = SUBJECT.exec(subject ?? '')?.[1];
  const id = namespace === undefined ? undefined : tenantOf(namespace as UpstreamName);
  const tenant = id === undefined ? undefined : tenants.get(id);
  if (tenant === undefined) throw refused('the bearer token is not a token of this cluster', 'token-foreign');
  return tenant;
}

/** Checks signature, issuer, audience and times. Returns when the token ends, in epoch milliseconds. */
async function verify(token: string, tenant: Tenant, { keys, nowMs }: ServiceAccountOptions): Promise<number> {
  try {
    const { payload } = await jwtVerify(token, (header, input) => keys.key(header, input), {
      algorithms: ALGORITHMS,
      issuer: await keys.issuer(),
      audience: tokenAudience(tenant),
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(nowMs()),
    });
    return (payload.exp as number) * 1_000;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (cause instanceof errors.JWTExpired) throw refused('the bearer token has expired', 'token-expired', cause);
    throw refused('the bearer token is not a token of this cluster', 'token-invalid', cause);
  }
}

/** Asks the host whether the token still stands for anyone. */
async function review(token: string, tenant: Tenant, upstream: Upstream): Promise<Identity> {
  const answer = await upstream.request({
    identity: { as: 'reader' },
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    contentType: 'application/json',
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences: [tokenAudience(tenant)] },
    }),
  });
  const document: unknown = JSON.parse(Buffer.from(answer.body).toString('utf8'));
  if (answer.status !== 201 || !isObject(document) || !isObject(document['status'])) {
    throw new ApiError('ERR_UNAVAILABLE', 'service-account tokens cannot be checked at the moment; try again', {
      why: 'token-review',
      cause: new Error(`TokenReview was answered with ${answer.status}`),
    });
  }
  const { authenticated, user } = document['status'];
  if (authenticated !== true || !isObject(user)) throw refused('the bearer token no longer holds', 'token-revoked');
  return toTenantIdentity(tenant, user);
}

function toTenantIdentity(tenant: Tenant, user: Record<string, unknown>): Identity {
  const match = SUBJECT.exec(String(user['username']));
  const namespace = match === null ? undefined : toTenantName(tenant.id, match[1] as UpstreamName);
  if (match === null || namespace === undefined)
    throw refused('the bearer token is not a token of this cluster', 'token-foreign');
  return {
    username: `system:serviceaccount:${namespace}:${match[2]}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    uid: typeof user['uid'] === 'string' ? user['uid'] : '',
    extra: isObject(user['extra']) ? (user['extra'] as Record<string, string[]>) : {},
  };
}

function refused(message: string, why: string, cause?: unknown): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', `Unauthorized: ${message}`, { why, cause });
}
