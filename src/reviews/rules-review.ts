/**
 * SelfSubjectRulesReview: all that the caller may do in one namespace, as `kubectl auth can-i --list` shows it.
 * @see k8s.io/kubernetes pkg/registry/authorization/selfsubjectrulesreview/rest.go at v1.36
 */
import { aggregate } from '../k8s/aggregate.ts';
import type { GrantedRules, PolicyRule } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Authorizer } from '../ports.ts';
import { badRequest, pruned, type ReviewHandler, read, reviewObject, reviewReply } from './review.ts';

/** Rules of more are not told: thousands of bindings may each grant thousands, which the API server tells all. */
const MAX_RULES = 20_000;

export function selfSubjectRulesReview(authorizer: Authorizer): ReviewHandler {
  const kind = 'SelfSubjectRulesReview';
  return async (request) => {
    const namespace = read.text(read.object(reviewObject(request, kind), 'spec') ?? {}, 'namespace');
    if (namespace === '') throw badRequest('no namespace on request');
    const { granted, errors } = authorizer.rulesFor(request.tenant, request.identity, namespace);
    const { rules, incomplete } = told(granted);
    const problems = incomplete
      ? [...errors, `more than ${MAX_RULES} rules apply, of which the first are told`]
      : errors;
    const status = {
      resourceRules: rules.filter(({ resources }) => resources.length > 0).map(resourceRule),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(nonResourceRule),
      incomplete,
      ...pruned({ evaluationError: problems.length === 0 ? '' : aggregate(problems) }),
    };
    // The server itself does not echo the namespace.
    return reviewReply(request, kind, { spec: {}, status });
  };
}

/** As the API server tells them: binding by binding, and those of a role once for each that names it. */
function told(granted: readonly GrantedRules[]): { rules: PolicyRule[]; incomplete: boolean } {
  const rules: PolicyRule[] = [];
  for (const some of granted) {
    if (rules.length + some.length > MAX_RULES) return { rules, incomplete: true };
    for (const { rule } of some) rules.push(rule);
  }
  return { rules, incomplete: false };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): JsonObject {
  return {
    verbs: [...verbs],
    ...pruned({ apiGroups: [...apiGroups], resources: [...resources], resourceNames: [...resourceNames] }),
  };
}

function nonResourceRule({ verbs, nonResourceURLs }: PolicyRule): JsonObject {
  return { verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] };
}
