/**
 * The keys with which the host signs service-account tokens. Fetched once, and again when a token names a key that is
 * not among them, at most once in ten seconds, so that tokens with made-up key ids cost the host nothing.
 *
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
 */

import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import { readObject } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Upstream } from '../ports.ts';

const COOL_DOWN_MS = 10_000;

export interface IssuerKeys {
  issuer(): Promise<string>;
  key(header: JWSHeaderParameters, input: FlattenedJWSInput): Promise<CryptoKey | Uint8Array>;
}

interface Fetched {
  issuer: string;
  find: ReturnType<typeof createLocalJWKSet>;
  atMs: number;
}

export function issuerKeys(upstream: Upstream, nowMs: () => number): IssuerKeys {
  let fetched: Fetched | undefined;
  let fetching: Promise<Fetched> | undefined;

  async function json(path: string, accept = 'application/json'): Promise<JsonObject> {
    const answer = await upstream.request({
      identity: { as: 'reader' },
      method: 'GET',
      path,
      accept,
    });
    if (answer.status !== 200) {
      throw new ApiError('ERR_UNAVAILABLE', 'service-account tokens cannot be checked at the moment; try again', {
        why: 'no-issuer-keys',
        cause: new Error(`${path} was answered with ${answer.status}`),
      });
    }
    return readObject(answer.body);
  }

  async function fetchAll(): Promise<Fetched> {
    const [document, keys] = await Promise.all([
      json('/.well-known/openid-configuration'),
      // The API server answers 406 to anything else here.
      json('/openid/v1/jwks', 'application/jwk-set+json'),
    ]);
    return {
      issuer: String(document['issuer']),
      find: createLocalJWKSet(keys as unknown as JSONWebKeySet),
      atMs: nowMs(),
    };
  }

  function refresh(): Promise<Fetched> {
    fetching ??= fetchAll()
      .then((result) => {
        fetched = result;
        return result;
      })
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  }

  return {
    issuer: async () => (fetched ?? (await refresh())).issuer,
    async key(header, input) {
      const held = fetched ?? (await refresh());
      try {
        return await held.find(header, input);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || nowMs() - held.atMs < COOL_DOWN_MS) throw error;
        return await (await refresh()).find(header, input);
      }
    },
  };
}
