/**
 * Questions about identity and rights. The host would answer them about the host, so the proxy answers them about the
 * tenant and sends none of them upstream; their bodies are therefore never translated.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/
 */
import type { Kind } from '../kind.ts';
import { answered } from '../row.ts';

const RIGHTS = 'asks about the tenant’s RBAC, which the proxy decides';
const IDENTITY = 'asks who a caller is, in the tenant’s terms';

export const REVIEWS: readonly Kind[] = [
  answered({
    group: 'authorization.k8s.io',
    resource: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    reason: RIGHTS,
  }),
  answered({
    group: 'authorization.k8s.io',
    resource: 'selfsubjectrulesreviews',
    kind: 'SelfSubjectRulesReview',
    reason: RIGHTS,
  }),
  answered({
    group: 'authorization.k8s.io',
    resource: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
    reason: RIGHTS,
  }),
  answered({
    group: 'authorization.k8s.io',
    resource: 'localsubjectaccessreviews',
    kind: 'LocalSubjectAccessReview',
    namespaced: true,
    reason: RIGHTS,
  }),
  answered({
    group: 'authentication.k8s.io',
    resource: 'selfsubjectreviews',
    kind: 'SelfSubjectReview',
    reason: IDENTITY,
  }),
  answered({
    group: 'authentication.k8s.io',
    resource: 'tokenreviews',
    kind: 'TokenReview',
    reason: `${IDENTITY}; tokens of others are unknown`,
  }),
];
