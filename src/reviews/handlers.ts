/** Which review is answered by what. A review that is not in this list is not answered at all. */
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

/** The handler of `POST group/resource`; undefined for what is no review. */
export type ReviewHandlers = (group: string, resource: string) => ReviewHandler | undefined;

export function createReviewHandlers({ authorizer, checkToken, nowMs }: ReviewOptions): ReviewHandlers {
  const handlers = new Map<string, ReviewHandler>([
    ['authorization.k8s.io/selfsubjectaccessreviews', selfSubjectAccessReview(authorizer)],
    ['authorization.k8s.io/subjectaccessreviews', subjectAccessReview(authorizer)],
    ['authorization.k8s.io/localsubjectaccessreviews', localSubjectAccessReview(authorizer)],
    ['authorization.k8s.io/selfsubjectrulesreviews', selfSubjectRulesReview(authorizer)],
    ['authentication.k8s.io/selfsubjectreviews', selfSubjectReview(nowMs)],
    ['authentication.k8s.io/tokenreviews', tokenReview(checkToken)],
  ]);
  return (group, resource) => handlers.get(`${group}/${resource}`);
}
