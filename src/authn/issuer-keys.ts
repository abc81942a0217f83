/**
 * The keys with which the host signs service-account tokens.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
 */
import { readObject } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Upstream } from '../ports.ts';
import { createKeySet, type KeySet } from './key-set.ts';

/** `about` is the issuer's name. */
export function issuerKeys(upstream: Upstream, nowMs: () => number): KeySet<string> {
  async function json(path: string, accept = 'application/json'): Promise<JsonObject> {
    const answer = await upstream.request({ identity: { as: 'reader' }, method: 'GET', path, accept });
    if (answer.status !== 200) {
      throw new ApiError('ERR_UNAVAILABLE', 'service-account tokens cannot be checked at the moment; try again', {
        why: 'no-issuer-keys',
        cause: new Error(`${path} was answered with ${answer.status}`),
      });
    }
    return readObject(answer.body);
  }

  return createKeySet({
    nowMs,
    async fetch() {
      const [document, keys] = await Promise.all([
        json('/.well-known/openid-configuration'),
        // The API server answers 406 to anything else here.
        json('/openid/v1/jwks', 'application/jwk-set+json'),
      ]);
      return { about: String(document['issuer']), keys };
    },
  });
}
