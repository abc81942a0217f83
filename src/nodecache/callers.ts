/**
 * Who sent a request: by the client certificate of its connection, or by its bearer token, which the API server judges
 * (TokenReview). Its answer is kept for seconds: a token that was withdrawn opens nothing from memory after that.
 *
 * Whoever cannot be told is nobody, and gets nothing from memory; what the API server makes of them is its own to say.
 */
import { createHash, type X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readObject } from '../codec/json.ts';
import { ApiError } from '../errors.ts';
import type { RequestHead } from '../exchange.ts';
import { child, strings, text } from '../k8s/read.ts';
import { isObject, type JsonObject } from '../k8s/types.ts';
import type { Upstream } from '../ports.ts';
import type { Caller } from './caller.ts';
import { callerOfCertificate } from './certificates.ts';
import { ASK_MS, KEPT_MS } from './limits.ts';

export interface CallersOptions {
  readonly upstream: Upstream;
  /** The client CAs of the cluster, as they are now. */
  readonly authorities: () => readonly X509Certificate[];
  readonly nowMs: () => number;
}

/** How a request says who sends it: nothing at all, or exactly one credential. */
export type Identify = (head: Pick<RequestHead, 'headers' | 'peerCertificate'>) => Promise<Caller | undefined>;

const REMEMBERED = 1_000;
const BEARER = /^Bearer +([^\s]+)$/i;

/**
 * Resolves to undefined for a request without a credential, and for a token that stands for nobody.
 * @throws {ApiError} ERR_UNAUTHORIZED for a certificate that does not count, or two credentials; ERR_UNAVAILABLE
 */
export function createCallers({ upstream, authorities, nowMs }: CallersOptions): Identify {
  const reviewed = new LRUCache<string, { readonly caller: Promise<Caller | undefined>; readonly atMs: number }>({
    max: REMEMBERED,
  });

  function byToken(token: string): Promise<Caller | undefined> {
    const hash = createHash('sha256').update(token).digest('base64');
    const known = reviewed.get(hash);
    if (known !== undefined && nowMs() - known.atMs < KEPT_MS) return known.caller;
    const caller = review(token, upstream);
    reviewed.set(hash, { caller, atMs: nowMs() });
    caller.catch(() => reviewed.delete(hash));
    return caller;
  }

  return async ({ headers, peerCertificate }) => {
    const authorization = headers.get('authorization');
    if (peerCertificate === undefined) {
      const token = BEARER.exec(authorization ?? '')?.[1];
      return token === undefined ? undefined : await byToken(token);
    }
    if (authorization !== undefined) {
      throw new ApiError('ERR_UNAUTHORIZED', 'Unauthorized: the request has a client certificate and a token', {
        why: 'two-credentials',
      });
    }
    return callerOfCertificate(peerCertificate, authorities(), nowMs());
  };
}

async function review(token: string, upstream: Upstream): Promise<Caller | undefined> {
  const answer = await upstream.request({
    identity: { as: 'reader' },
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    contentType: 'application/json',
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }),
    signal: AbortSignal.timeout(ASK_MS),
  });
  if (answer.status !== 201) throw new Error(`TokenReview was answered with ${answer.status}`);
  const { authenticated, user } = child(readObject(answer.body), 'status');
  return authenticated === true && isObject(user) ? callerOf(user) : undefined;
}

function callerOf(user: JsonObject): Caller {
  const extra = child(user, 'extra');
  return {
    username: text(user, 'username'),
    groups: strings(user, 'groups'),
    uid: text(user, 'uid'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, strings(extra, key)])),
    how: 'token',
  };
}
