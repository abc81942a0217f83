/**
 * Kinds that tenants define themselves. The controllers give a tenant its rights on the host when they see the definition,
 * and the host's authorizer hears of them a moment after they are stored; until then it refuses what the tenant's own
 * roles have allowed already. Kubernetes knows no such moment, so the refusal is not told: the host is asked, as whoever
 * was refused, until it knows the right, and then the request is sent again. Nothing came of the refused one.
 *
 * What the host refuses although the right is there, an admission policy has refused: that is asked once more, and told.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import { parseJson, stringifyJson } from '../codec/json.ts';
import { isObject } from '../k8s/types.ts';
import { pause } from '../lib/backoff.ts';
import type { Call, VerbDeps } from './call.ts';
import type { Route } from './route.ts';

/** Between questions; together about ten seconds. The first is asked at once. */
const PAUSES_MS = [5, 10, 20, 40, 80, 150, 250, 450, 1_000, 2_000, 3_000, 3_000];
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** @returns what upstream answered: after the right was waited for, where that was what it lacked */
export async function withRight<T extends { readonly status: number }>(
  call: Call,
  deps: VerbDeps,
  route: Route,
  send: () => Promise<T>,
): Promise<T> {
  const answer = await send();
  if (answer.status !== 403 || !call.at.kind.custom) return answer;
  return (await comesToHave(call, deps, route)) ? await send() : answer;
}

async function comesToHave(call: Call, deps: VerbDeps, route: Route): Promise<boolean> {
  const { signal } = call.head;
  for (const pauseMs of [...PAUSES_MS, 0]) {
    if (await has(call, deps, route)) return true;
    if (!(await pause(pauseMs, signal))) return false;
  }
  return false;
}

async function has({ at, head }: Call, deps: VerbDeps, { identity, collection }: Route): Promise<boolean> {
  const [group = ''] = at.upstreamApiVersion.split('/');
  const [, namespace = ''] = /\/namespaces\/([^/]+)\//.exec(collection) ?? [];
  const resource = at.upstreamResource;
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    // All rights on a kind come together, so one verb speaks for the others.
    spec: { resourceAttributes: { namespace: decodeURIComponent(namespace), group, resource, verb: 'list' } },
  };
  const { status, body } = await deps.upstream.request({
    identity,
    method: 'POST',
    path: REVIEWS,
    contentType: 'application/json',
    body: stringifyJson(review),
    signal: head.signal,
  });
  if (status !== 201) return false;
  const answer = parseJson(body);
  return isObject(answer) && isObject(answer['status']) && answer['status']['allowed'] === true;
}
