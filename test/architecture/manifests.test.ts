/** The manifests that follow from the table of kinds are what the table says now. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readManifests } from '../../src/controllers/walls/manifests.ts';
import { nameOf } from '../../src/k8s/meta.ts';
import { parsePolicy } from '../../src/policy/load.ts';
import { createPolicies } from '../../src/policy/policy.ts';
import { mutatingPolicyProblems, validatingPolicyProblems } from '../../src/virtual/admission/policies.ts';
import { DEPLOY, generatedManifests } from '../tools/manifests.ts';

describe('admission policies', () => {
  const named = (kind: string) => readManifests().flatMap(({ object }) => (object['kind'] === kind ? [object] : []));
  it.each([
    ['ValidatingAdmissionPolicy', validatingPolicyProblems],
    ['MutatingAdmissionPolicy', mutatingPolicyProblems],
  ] as const)('are what the API server takes: %s', (kind, problemsOf) => {
    const policies = named(kind);
    expect(policies).not.toHaveLength(0);
    for (const policy of policies) expect(problemsOf(policy, undefined), nameOf(policy)).toEqual([]);
  });

  it('are so with rules of policy files, too', () => {
    const rule =
      'rules: [{name: a, kinds: [pods], expression: "variables.tenant != variables.shownNamespace // so", message: b}]';
    const file = parsePolicy(`apiVersion: kubeveil.dev/v1alpha1\nkind: Policy\n${rule}`, 'x.yaml');
    const policies = createPolicies(new Map([['own', file]]));
    const policy = { metadata: { name: 'kubeveil-rules' }, spec: policies.rulesPolicy };
    expect(validatingPolicyProblems(policy, undefined)).toEqual([]);
  });
});

describe('generated manifests', () => {
  it.each([...generatedManifests()])('deploy/%s is up to date (else run test/tools/manifests.ts)', (name, text) => {
    expect(readFileSync(`${DEPLOY}${name}`, 'utf8')).toBe(text);
  });
  it('give nobody a wildcard, but for what an adapter measures in a tenant’s own namespaces', () => {
    const roles = [...generatedManifests()]
      .filter(([name]) => name.includes('-rbac-'))
      .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS()))
      .filter(({ kind }) => kind === 'ClusterRole');
    expect(roles.length).toBeGreaterThan(0);
    const wild = roles.flatMap(({ metadata, rules }) =>
      rules
        .filter((rule: Record<string, string[]>) => Object.values(rule).flat().includes('*'))
        .map((rule: object) => ({ role: metadata.name, ...rule })),
    );
    const resources = { apiGroups: ['custom.metrics.k8s.io'], resources: ['*'] };
    expect(wild).toEqual([
      { role: 'kubeveil:guard', ...resources, verbs: ['get'] },
      { role: 'kubeveil:impersonation-verbs', ...resources, verbs: ['impersonate-on:user-info:get'] },
    ]);
  });
});
