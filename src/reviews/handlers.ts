/** Which review is answered by what. A review that is not in this list is not answered at all. */
import { noSuchPath } from '../errors.ts';
import type { ResourceRequest } from '../exchange.ts';
import type { Authorizer } from '../ports.ts';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-review.ts';
import type { ReviewHandler } from './review.ts';
import { selfSubjectRulesReview } from './rules-review.ts';
import { selfSubjectReview } from './self-review.ts';
import { type TokenCheck, tokenReview } from './token-review.ts';

export interface ReviewOptions {
  readonly authorizer: Authorizer;
  readonly checkToken: TokenCheck;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Serves every kind that the table of kinds leaves to the proxy.
 * @throws {ApiError} (the handler) ERR_NOT_FOUND for one that nothing here answers
 */
export function createReviewHandler({ authorizer, checkToken, nowMs }: ReviewOptions): ReviewHandler {
  const handlers = new Map<string, ReviewHandler>([
    ['authorization.k8s.io/selfsubjectaccessreviews', selfSubjectAccessReview(authorizer)],
    ['authorization.k8s.io/subjectaccessreviews', subjectAccessReview(authorizer)],
    ['authorization.k8s.io/localsubjectaccessreviews', localSubjectAccessReview(authorizer)],
    ['authorization.k8s.io/selfsubjectrulesreviews', selfSubjectRulesReview(authorizer)],
    ['authentication.k8s.io/selfsubjectreviews', selfSubjectReview(nowMs)],
    ['authentication.k8s.io/tokenreviews', tokenReview(checkToken)],
  ]);
  return async (request) => {
    const handler = handlers.get(keyOf(request.info));
    if (handler === undefined) throw noSuchPath();
    return await handler(request);
  };
}

/** No review has a subresource, so one finds nothing. */
function keyOf({ group, resource, subresource }: ResourceRequest['info']): string {
  return subresource === '' ? `${group}/${resource}` : `${group}/${resource}/${subresource}`;
}
