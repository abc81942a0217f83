/**
 * May this caller read that? The API server says so (SubjectAccessReview), with whatever authorizers it has: RBAC, the node
 * authorizer, webhooks. Its answers are kept for seconds. Selectors are told: a node may list the pods of its own only.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/
 */
import { LRUCache } from 'lru-cache';
import type { Selection } from '../cache/changes.ts';
import { readObject } from '../codec/json.ts';
import type { ResourceInfo } from '../exchange.ts';
import { child } from '../k8s/read.ts';
import type { LabelRequirement } from '../k8s/selector.ts';
import type { Upstream } from '../ports.ts';
import type { Caller } from './caller.ts';
import { ASK_MS, KEPT_MS } from './limits.ts';

/** @throws when the API server does not say: then it is not known, and nothing is to be given */
export type MayRead = (caller: Caller, info: ResourceInfo, selection: Selection) => Promise<boolean>;

export interface RightsOptions {
  readonly upstream: Upstream;
  readonly nowMs: () => number;
}

const REMEMBERED = 10_000;

export function createRights({ upstream, nowMs }: RightsOptions): MayRead {
  const decided = new LRUCache<string, { readonly allowed: Promise<boolean>; readonly atMs: number }>({
    max: REMEMBERED,
  });
  return (caller, info, selection) => {
    const { username: user, groups, uid, extra } = caller;
    const spec = JSON.stringify({ user, groups, uid, extra, resourceAttributes: attributesOf(info, selection) });
    const known = decided.get(spec);
    if (known !== undefined && nowMs() - known.atMs < KEPT_MS) return known.allowed;
    const allowed = ask(spec, upstream);
    decided.set(spec, { allowed, atMs: nowMs() });
    allowed.catch(() => decided.delete(spec));
    return allowed;
  };
}

async function ask(spec: string, upstream: Upstream): Promise<boolean> {
  const answer = await upstream.request({
    identity: { as: 'reader' },
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    contentType: 'application/json',
    body: `{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":${spec}}`,
    signal: AbortSignal.timeout(ASK_MS),
  });
  if (answer.status !== 201) throw new Error(`SubjectAccessReview was answered with ${answer.status}`);
  const { allowed, denied } = child(readObject(answer.body), 'status');
  return allowed === true && denied !== true;
}

function attributesOf({ verb, group, version, resource, namespace, name }: ResourceInfo, { label, field }: Selection) {
  const labels = label.requirements.filter(canBeAsked).map(({ key, operator, values }) => ({ key, operator, values }));
  const fields = field.requirements.map(({ field: key, operator, value }) => ({
    key,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }));
  return {
    verb,
    group,
    version,
    resource,
    namespace,
    name,
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
  };
}

/** A review has no word for the others. Left out, more is asked for than will be given. */
function canBeAsked({ operator }: LabelRequirement): boolean {
  return operator !== 'Gt' && operator !== 'Lt';
}
