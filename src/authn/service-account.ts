/**
 * Service-account tokens, as TokenRequest gives them through this proxy.
 *
 * The signature is checked here with the host's keys; the audience must be that of the tenant in whose namespace the
 * account lives, which carries the tenant's uid. Then the host is asked whether the token still stands for anyone, and
 * whether account and pod are still there; its answers are kept for seconds only, and asked for once however many wait
 * for them. Names are the tenant's from here on.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens
 */

import { createHash } from 'node:crypto';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { readObject } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { Authenticated, Identity } from '../exchange.ts';
import { child, text } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { isObject } from '../k8s/types.ts';
import type { TenantRegistry, Upstream } from '../ports.ts';
import { tenantOf, toTenantName, type UpstreamName } from '../tenancy/names.ts';
import { type Tenant, tokenAudience } from '../tenancy/tenant.ts';
import { createAccountStanding } from './account-standing.ts';
import type { KeySet } from './key-set.ts';

export interface ServiceAccountOptions {
  upstream: Upstream;
  tenants: TenantRegistry;
  /** `about` is the issuer's name. */
  keys: KeySet<string>;
  nowMs: () => number;
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256'];
const TOKEN_BYTES = 16_384;
/** The host itself remembers a token for ten; `account-standing.ts` knows sooner when account or pod are gone. */
const REVIEW_TTL_MS = 2_000;
const REMEMBERED = 20_000;
const SUBJECT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The function takes the audiences, upstream, of which the token must be for one; left out: that of requests. */
export function serviceAccountAuthenticator(
  options: ServiceAccountOptions,
): (token: string, audiences?: readonly string[]) => Promise<Authenticated> {
  const { upstream, tenants, nowMs } = options;
  const standing = createAccountStanding(upstream, nowMs);
  const remembered = new LRUCache<string, { readonly checked: Promise<CheckedToken>; readonly atMs: number }>({
    max: REMEMBERED,
  });

  /** Signature and review, once in a while for each token however often it comes. */
  function checkOnce(token: string, tenant: Tenant, audiences: readonly string[]): Promise<CheckedToken> {
    const hash = createHash('sha256')
      // A tenant made anew is another, to whom the token says nothing.
      .update(JSON.stringify([token, tenant.uid, ...audiences]))
      .digest('base64');
    const known = remembered.get(hash);
    if (known !== undefined && nowMs() - known.atMs < REVIEW_TTL_MS) return known.checked;
    const checked = check(token, tenant, audiences, options);
    remembered.set(hash, { checked, atMs: nowMs() });
    // What anybody can make up is not kept: it would drive out what is.
    checked.catch((error) => isRevoked(error) || remembered.delete(hash));
    return checked;
  }

  return async (token, asked) => {
    if (token.length > TOKEN_BYTES) throw refused('the token is too long', 'token-size');
    const tenant = claimedTenant(token, tenants);
    const { claims, identity } = await checkOnce(token, tenant, asked ?? [tokenAudience(tenant)]);
    const expiresAtMs = (claims.exp as number) * 1_000;
    if (nowMs() >= expiresAtMs) throw refused('the bearer token has expired', 'token-expired');
    await standing.check(claims);
    return {
      identity,
      tenant: tenant.id,
      tenantUid: tenant.uid,
      how: 'service-account-token',
      expiresAtMs,
      audiences: [claims.aud ?? []].flat(),
    };
  };
}

interface CheckedToken {
  readonly claims: JWTPayload;
  readonly identity: Identity;
}

/** Not for a token that was never good. */
function isRevoked(error: unknown): boolean {
  return error instanceof ApiError && error.why === 'token-revoked';
}

async function check(
  token: string,
  tenant: Tenant,
  audiences: readonly string[],
  options: ServiceAccountOptions,
): Promise<CheckedToken> {
  const claims = await verify(token, audiences, options);
  return { claims, identity: await review(token, tenant, audiences, options.upstream) };
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

/** Checks signature, issuer, audience and times. */
async function verify(
  token: string,
  audiences: readonly string[],
  { keys, nowMs }: ServiceAccountOptions,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, (header, input) => keys.key(header, input), {
      algorithms: ALGORITHMS,
      issuer: await keys.about(),
      audience: [...audiences],
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(nowMs()),
    });
    return payload;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (cause instanceof errors.JWTExpired) throw refused('the bearer token has expired', 'token-expired', cause);
    throw refused('the bearer token is not a token of this cluster', 'token-invalid', cause);
  }
}

/** Asks the host whether the token still stands for anyone. */
async function review(
  token: string,
  tenant: Tenant,
  audiences: readonly string[],
  upstream: Upstream,
): Promise<Identity> {
  const answer = await upstream.request({
    identity: { as: 'reader' },
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    contentType: 'application/json',
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences },
    }),
  });
  if (answer.status !== 201) {
    throw new ApiError('ERR_UNAVAILABLE', 'service-account tokens cannot be checked at the moment; try again', {
      why: 'token-review',
      cause: new Error(`TokenReview was answered with ${answer.status}`),
    });
  }
  const { authenticated, user } = child(readObject(answer.body), 'status');
  if (authenticated !== true || !isObject(user)) throw refused('the bearer token no longer holds', 'token-revoked');
  return toTenantIdentity(tenant, user);
}

function toTenantIdentity(tenant: Tenant, user: JsonObject): Identity {
  const match = SUBJECT.exec(String(user['username']));
  const namespace = match === null ? undefined : toTenantName(tenant.id, match[1] as UpstreamName);
  if (match === null || namespace === undefined)
    throw refused('the bearer token is not a token of this cluster', 'token-foreign');
  return {
    username: `system:serviceaccount:${namespace}:${match[2]}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    uid: text(user, 'uid'),
    extra: child(user, 'extra') as Record<string, string[]>,
  };
}

function refused(message: string, why: string, cause?: unknown): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', `Unauthorized: ${message}`, { why, cause });
}
