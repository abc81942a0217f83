/**
 * SelfSubjectRulesReview: all that the caller may do in one namespace, as `kubectl auth can-i --list` shows it.
 * @see k8s.io/kubernetes pkg/registry/authorization/selfsubjectrulesreview/rest.go at v1.36
 */
import { aggregate } from '../k8s/aggregate.ts';
import type { PolicyRule } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Authorizer } from '../ports.ts';
import { badRequest, pruned, type ReviewHandler, read, reviewObject, reviewReply } from './review.ts';

export function selfSubjectRulesReview(authorizer: Authorizer): ReviewHandler {
  const kind = 'SelfSubjectRulesReview';
  return async (request) => {
    const namespace = read.text(read.object(reviewObject(request, kind), 'spec') ?? {}, 'namespace');
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, errors } = authorizer.rulesFor(request.tenant, request.identity, namespace);
    const evaluationError = errors.length === 0 ? '' : aggregate(errors);
    const status = {
      resourceRules: rules.filter(({ resources }) => resources.length > 0).map(resourceRule),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(nonResourceRule),
      incomplete: false,
      ...pruned({ evaluationError }),
    };
    // The server itself does not echo the namespace.
    return reviewReply(request, kind, { spec: {}, status });
  };
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
