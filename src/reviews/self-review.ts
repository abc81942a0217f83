/**
 * SelfSubjectReview: who the caller is, in the tenant's terms, as `kubectl auth whoami` shows it.
 * @see k8s.io/kubernetes pkg/registry/authentication/selfsubjectreview/rest.go at v1.36
 */
import type { Identity } from '../exchange.ts';
import type { JsonObject } from '../k8s/types.ts';
import { pruned, type ReviewHandler, reviewObject, reviewReply } from './review.ts';

/** @param nowMs epoch milliseconds */
export function selfSubjectReview(nowMs: () => number): ReviewHandler {
  const kind = 'SelfSubjectReview';
  return async (request) => {
    reviewObject(request, kind);
    const creationTimestamp = `${new Date(nowMs()).toISOString().slice(0, 19)}Z`;
    return reviewReply(request, kind, {
      metadata: { creationTimestamp },
      status: { userInfo: userInfo(request.identity) },
    });
  };
}

/** `authentication/v1 UserInfo`, without what is empty. */
export function userInfo({ username, uid, groups, extra }: Identity): JsonObject {
  const entries = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  return pruned({
    username,
    uid,
    groups: [...groups],
    extra: entries.length === 0 ? undefined : Object.fromEntries(entries),
  });
}
