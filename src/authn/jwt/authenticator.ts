/**
 * Tokens of the issuers in the authentication file. Whose user it is the issuer's entry says, by the token's claims or by
 * name; the id must be exactly that of a living tenant. Of a user of several tenants the request says which.
 *
 * What was checked is remembered for seconds, by a hash, and only under the file as it is now.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens
 */
import { createHash } from 'node:crypto';
import { decodeJwt, errors } from 'jose';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../errors.ts';
import type { Authenticated, Claim, Identity } from '../../exchange.ts';
import { MASTERS } from '../../k8s/rbac.ts';
import type { TenantRegistry } from '../../ports.ts';
import type { TenantId } from '../../tenancy/names.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { compileIssuer, type MappedUser } from './issuer-rules.ts';
import { createProvider, type FetchJson, type Provider, ProviderDown } from './provider.ts';
import type { JwtConfig } from './schema.ts';

const TOKEN_BYTES = 16_384;
const REMEMBERED = 20_000;
const REMEMBERED_MS = 10_000;

/** The issuers of one version of the file. */
export interface Issuers {
  get(url: string): { readonly provider: Provider; readonly map: ReturnType<typeof compileIssuer> } | undefined;
}

/** @throws {InvalidExpression} */
export function createIssuers(configs: readonly JwtConfig[], nowMs: () => number, fetch?: FetchJson): Issuers {
  const issuers = new Map(
    configs.map((config) => [
      config.issuer.url,
      { provider: createProvider(config.issuer, nowMs, fetch), map: compileIssuer(config) },
    ]),
  );
  return { get: (url) => issuers.get(url) };
}

export interface JwtOptions {
  /** As they are now. */
  issuers(): Issuers;
  readonly tenants: TenantRegistry;
  readonly nowMs: () => number;
  /** For the operator: why a token was not taken, or an issuer cannot be asked. */
  readonly onRefused: (why: string) => void;
}

interface Checked {
  readonly user: MappedUser;
  readonly expiresAtMs: number;
  readonly atMs: number;
}

/**
 * Undefined for a token of no issuer in the file.
 * @throws {ApiError} ERR_UNAUTHORIZED, ERR_FORBIDDEN where it is not of the tenant that was asked for, ERR_UNAVAILABLE
 */
export type JwtAuthenticator = (token: string, claim: Claim) => Promise<Authenticated | undefined>;

export function jwtAuthenticator({ issuers, tenants, nowMs, onRefused }: JwtOptions): JwtAuthenticator {
  const remembered = new WeakMap<Issuers, LRUCache<string, Checked>>();

  async function check(token: string, now: Issuers, url: string): Promise<Checked> {
    const known = remembered.get(now) ?? new LRUCache<string, Checked>({ max: REMEMBERED });
    remembered.set(now, known);
    const hash = createHash('sha256').update(token).digest('base64');
    const held = known.get(hash);
    if (held !== undefined && nowMs() - held.atMs < REMEMBERED_MS && nowMs() < held.expiresAtMs) return held;
    const issuer = now.get(url);
    if (issuer === undefined) throw new Error(`${url} was there a moment ago`);
    const payload = await issuer.provider.verify(token);
    const checked = { user: issuer.map(payload), expiresAtMs: (payload.exp ?? 0) * 1_000, atMs: nowMs() };
    known.set(hash, checked);
    return checked;
  }

  return async (token, claim) => {
    if (token.length > TOKEN_BYTES) throw refused('the token is too long', 'token-size');
    const now = issuers();
    const url = issuerOf(token);
    if (url === undefined || now.get(url) === undefined) return undefined;
    let checked: Checked;
    try {
      checked = await check(token, now, url);
    } catch (error) {
      onRefused(error instanceof Error ? error.message : String(error));
      throw told(error);
    }
    const tenant = choose(checked.user.tenants, claim, tenants);
    return {
      identity: withAdministration(checked.user.identity, tenant),
      tenant: tenant.id,
      tenantUid: tenant.uid,
      how: 'oidc-token',
      expiresAtMs: checked.expiresAtMs,
    };
  };
}

/** Who a token says it is from. Nothing is believed yet. */
function issuerOf(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

/** Members of a group that administers the tenant are what its first administrator is. */
function withAdministration(identity: Identity, { administratorGroups = [] }: Tenant): Identity {
  const { groups } = identity;
  if (groups.includes(MASTERS) || !administratorGroups.some((group) => groups.includes(group))) return identity;
  return { ...identity, groups: [...groups, MASTERS] };
}

function choose(ids: readonly string[], claim: Claim, tenants: TenantRegistry): Tenant {
  const own = [...new Set(ids)].map((id) => tenants.get(id as TenantId)).filter((tenant) => tenant !== undefined);
  const [only] = own;
  if (only === undefined) throw refused('the token is of no tenant here', 'token-no-tenant');
  if (claim.tenant !== undefined) {
    const asked = own.find(({ id }) => id === claim.tenant);
    if (asked !== undefined) return asked;
    // The same answer whether the other tenant exists or not.
    throw new ApiError('ERR_FORBIDDEN', 'the credential is not of the tenant that was asked for', {
      why: 'wrong-tenant',
    });
  }
  if (own.length === 1) return only;
  throw new ApiError('ERR_FORBIDDEN', 'you are a user of several tenants; say which in the URL, by /tenants/<id>', {
    why: 'which-tenant',
  });
}

/** What the client is told: nothing of what the issuer's rules are. */
function told(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ProviderDown) {
    return new ApiError('ERR_UNAVAILABLE', 'tokens cannot be checked at the moment; try again', {
      why: 'issuer-down',
      cause: error,
    });
  }
  if (error instanceof errors.JWTExpired) return refused('the bearer token has expired', 'token-expired', error);
  return refused('the bearer token is not a token of this cluster', 'token-invalid', error);
}

function refused(message: string, why: string, cause?: unknown): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', `Unauthorized: ${message}`, { why, cause });
}
