/**
 * Whether the account that a token names, and the pod that it is bound to, are still there. The host's own review of
 * tokens remembers a token for ten seconds after both are gone; here their absence counts within one. An object of the
 * same name made since has another uid, and is not the one.
 *
 * @see k8s.io/kubernetes pkg/serviceaccount/claims.go (Validate) at v1.36
 * @see k8s.io/apiserver pkg/authentication/token/cache/cached_token_authenticator.go at v0.36
 */
import { LRUCache } from 'lru-cache';
import { readObject } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import { uidOf } from '../k8s/meta.ts';
import { child, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { Upstream } from '../ports.ts';

/** Asked of the host at most once in this time for each object, whoever asks. */
const TTL_MS = 1_000;
const REMEMBERED = 20_000;
const CLAIM = 'kubernetes.io';

export interface AccountStanding {
  /**
   * @param claims of a token whose signature has been checked
   * @throws {ApiError} ERR_UNAUTHORIZED when account or pod is gone; ERR_UNAVAILABLE when the host does not tell
   */
  check(claims: Readonly<Record<string, unknown>>): Promise<void>;
}

export function createAccountStanding(upstream: Upstream, nowMs: () => number): AccountStanding {
  const asked = new LRUCache<string, { readonly answer: Promise<void>; readonly atMs: number }>({ max: REMEMBERED });

  function isThere(path: string, uid: string): Promise<void> {
    const key = `${uid} ${path}`;
    const known = asked.get(key);
    if (known !== undefined && nowMs() - known.atMs < TTL_MS) return known.answer;
    const answer = ask(upstream, path, uid);
    asked.set(key, { answer, atMs: nowMs() });
    // What the host did not tell is asked again at once; a refusal costs it nothing for as long as an answer.
    answer.catch((error) => isRefusal(error) || asked.delete(key));
    return answer;
  }

  return {
    async check(claims) {
      const bound = isObject(claims[CLAIM]) ? claims[CLAIM] : {};
      const namespace = text(bound, 'namespace');
      const account = child(bound, 'serviceaccount');
      const pod = isObject(bound['pod']) ? [['pods', bound['pod']] as const] : [];
      await Promise.all(
        [['serviceaccounts', account] as const, ...pod].map(([resource, reference]) =>
          isThere(pathOf(namespace, resource, reference), text(reference, 'uid')),
        ),
      );
    },
  };
}

function pathOf(namespace: string, resource: string, reference: JsonObject): string {
  const name = text(reference, 'name');
  if (namespace === '' || name === '' || text(reference, 'uid') === '') throw revoked();
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}`;
}

async function ask(upstream: Upstream, path: string, uid: string): Promise<void> {
  // Its metadata is enough, and a pod can be large.
  const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  const { status, body } = await upstream.request({ identity: { as: 'reader' }, method: 'GET', path, accept });
  if (status === 404 || (status === 200 && uidOf(readObject(body)) !== uid)) throw revoked();
  if (status === 200) return;
  throw new ApiError('ERR_UNAVAILABLE', 'service-account tokens cannot be checked at the moment; try again', {
    why: 'token-review',
    cause: new Error(`${path} was answered with ${status}`),
  });
}

/** For what is remembered: the host has spoken, and will not say otherwise in a moment. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'ERR_UNAUTHORIZED';
}

function revoked(): ApiError {
  return new ApiError('ERR_UNAUTHORIZED', 'Unauthorized: the bearer token no longer holds', { why: 'token-revoked' });
}
