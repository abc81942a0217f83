import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Authorizer } from '../ports.ts';
import type { ReviewRequest } from './review.ts';
import { selfSubjectRulesReview } from './rules-review.ts';

/** What is told of so many bindings, all of one role of so many rules. */
async function told(bindings: number, rules: number, errors: string[] = []) {
  const rule: PolicyRule = {
    verbs: ['get'],
    apiGroups: ['g'],
    resources: ['r'],
    resourceNames: [],
    nonResourceURLs: [],
  };
  const role = Array.from({ length: rules }, () => ({ rule }));
  const authorizer = { rulesFor: () => ({ granted: Array.from({ length: bindings }, () => role), errors }) };
  const reply = await selfSubjectRulesReview(authorizer as unknown as Authorizer)({
    info: { group: 'authorization.k8s.io', version: 'v1' },
    body: { document: { spec: { namespace: 'web' } } },
  } as unknown as ReviewRequest);
  if (reply.kind !== 'object') throw new Error(reply.kind);
  const { resourceRules, ...status } = reply.object['status'] as JsonObject;
  return { count: (resourceRules as JsonObject[]).length, status };
}

describe('the rules of somebody with many bindings', () => {
  it('are told binding by binding, those of a role as often as it is bound', async () => {
    expect(await told(3, 100)).toEqual({ count: 300, status: { nonResourceRules: [], incomplete: false } });
  });

  it('are told up to a number, and that there are more', async () => {
    const evaluationError = 'more than 20000 rules apply, of which the first are told';
    expect(await told(5_000, 9_000)).toEqual({
      count: 18_000,
      status: { nonResourceRules: [], incomplete: true, evaluationError },
    });
    expect((await told(5_000, 9_000, ['gone'])).status).toMatchObject({
      evaluationError: `[gone, ${evaluationError}]`,
    });
  });
});
