/**
 * Kinds that tenants define themselves. The controllers give a tenant its rights on the host when they see the definition,
 * and the host's authorizer hears of them a moment after they are stored; until then it refuses what the tenant's own
 * roles have allowed already. Kubernetes knows no such moment, so the refusal is not told: the host is asked, as whoever
 * was refused, until it knows the right, and then the request is sent again. Nothing came of the refused one.
 *
 * A right can also go and come back meanwhile, with a definition that is made anew: the authorizer still had the old one
 * when it was asked. So it is waited as long as the authorizer refuses, the data path's own right included. What an
 * admission policy refuses is told at once.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import { parseJson, stringifyJson } from '../codec/json.ts';
import { text } from '../k8s/read.ts';
import { isObject } from '../k8s/types.ts';
import { pause } from '../lib/backoff.ts';
import type { UpstreamName } from '../tenancy/names.ts';
import type { Call, VerbDeps } from './call.ts';
import type { Route } from './route.ts';

/** Between questions; together about ten seconds. The first is asked at once. */
const PAUSES_MS = [5, 10, 20, 40, 80, 150, 250, 450, 1_000, 2_000, 3_000, 3_000];
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** What may be an answer of upstream; only that of a refusal is looked into. */
interface Answered {
  readonly status: number;
  readonly body?: Uint8Array;
}

/** @returns what upstream answered: after the right was waited for, where that was what it lacked */
export async function withRight<T extends Answered>(
  call: Call,
  deps: VerbDeps,
  route: Route,
  send: () => Promise<T>,
): Promise<T> {
  let answer = await send();
  if (!call.at.kind.custom || !lacksRight(answer) || isTerminating(call, deps, route)) return answer;
  for (const pauseMs of [...PAUSES_MS, 0]) {
    if (await has(call, deps, route)) answer = await send();
    if (!lacksRight(answer) || !(await pause(pauseMs, call.head.signal))) break;
  }
  return answer;
}

/** The guard of a namespace that is being deleted gets no right any more. */
function isTerminating({ tenant, scope }: Call, deps: VerbDeps, { collection }: Route): boolean {
  const namespace = scope.names.down(namespaceIn(collection) as UpstreamName);
  return namespace !== undefined && deps.namespaces.state(tenant.id, namespace) === 'terminating';
}

/** '' for a collection that is in none. */
function namespaceIn(collection: string): string {
  const [, namespace = ''] = /\/namespaces\/([^/]+)\//.exec(collection) ?? [];
  return decodeURIComponent(namespace);
}

/** @see k8s.io/apiserver pkg/endpoints/handlers/responsewriters/errors.go at v0.36, forbiddenMessage */
const AUTHORIZER = / is forbidden: User "[^"]*" cannot \S+ resource "/;

function lacksRight({ status, body = new Uint8Array() }: Answered): boolean {
  if (status !== 403) return false;
  try {
    const document = parseJson(body);
    return isObject(document) && AUTHORIZER.test(text(document, 'message'));
  } catch {
    return false;
  }
}

async function has({ at, head }: Call, deps: VerbDeps, { identity, collection }: Route): Promise<boolean> {
  const [group = ''] = at.upstreamApiVersion.split('/');
  const namespace = namespaceIn(collection);
  const resource = at.upstreamResource;
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    // All rights on a kind come together, so one verb speaks for the others.
    spec: { resourceAttributes: { namespace, group, resource, verb: 'list' } },
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
