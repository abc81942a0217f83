/**
 * One issuer of tokens: its discovery document and keys, and the check of a token's signature, issuer, audience and times.
 *
 * The algorithms are those that the issuer says it signs with, of the asymmetric ones. Where keys are is the issuer's to
 * say and never a token's: `jku`, `x5u`, `jwk` and `x5c` in its header are not looked at, and a token that is encrypted is
 * none. A key set may be a day old while the issuer is down.
 *
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html
 * @see RFC 7515, RFC 7519, RFC 8725
 */
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { strings, text } from '../../k8s/read.ts';
import { createKeySet, type KeySet } from '../key-set.ts';
import { fetchJson } from './fetch-json.ts';
import type { JwtConfig } from './schema.ts';

const ASYMMETRIC = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
/** Keys that the issuer has taken out stop counting after this. */
const KEYS_MAX_AGE_MS = 10 * 60_000;
/** Clocks differ: how far in the future `nbf` and `iat` may be. What has expired has expired. */
const SKEW_S = 60;

/** The issuer cannot be asked, so nobody knows whether the token is good. */
export class ProviderDown extends Error {}

export interface Provider {
  /** @throws {errors.JOSEError} for a token that is not good; {@link ProviderDown} */
  verify(token: string): Promise<JWTPayload>;
}

export type FetchJson = typeof fetchJson;

export function createProvider(
  { url, discoveryURL, certificateAuthority, audiences }: JwtConfig['issuer'],
  nowMs: () => number,
  fetch: FetchJson = fetchJson,
): Provider {
  const keys: KeySet<readonly string[]> = createKeySet({
    nowMs,
    maxAgeMs: KEYS_MAX_AGE_MS,
    async fetch() {
      try {
        const document = await fetch(
          discoveryURL ?? `${url.replace(/\/$/, '')}/.well-known/openid-configuration`,
          certificateAuthority,
        );
        if (document['issuer'] !== url) throw new Error(`the issuer calls itself ${document['issuer']}, not ${url}`);
        const signs = strings(document, 'id_token_signing_alg_values_supported');
        const about = signs.length === 0 ? ASYMMETRIC : ASYMMETRIC.filter((name) => signs.includes(name));
        return { about, keys: await fetch(text(document, 'jwks_uri'), certificateAuthority) };
      } catch (cause) {
        throw new ProviderDown(`the keys of ${url} cannot be read`, { cause });
      }
    },
  });
  return {
    async verify(token) {
      const now = nowMs();
      const { payload } = await jwtVerify(token, (header, input) => keys.key(header, input), {
        algorithms: [...(await keys.about())],
        issuer: url,
        audience: audiences,
        requiredClaims: ['exp'],
        clockTolerance: SKEW_S,
        currentDate: new Date(now),
      });
      if ((payload.exp ?? 0) * 1_000 <= now)
        throw new errors.JWTExpired('"exp" claim timestamp check failed', payload, 'exp');
      return payload;
    },
  };
}
