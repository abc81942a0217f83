/** The kinds of admissionregistration.k8s.io. */
import type { OwnKind } from '../own-kind.ts';
import { mutatingBindingProblems, validatingBindingProblems } from './bindings.ts';
import { mutatingPolicyProblems, policyStatusProblems, validatingPolicyProblems } from './policies.ts';
import { webhookConfigurationProblems } from './webhooks.ts';

const SHARED = { group: 'admissionregistration.k8s.io', unconditionalUpdate: false } as const;

export const ADMISSION_KINDS: readonly OwnKind[] = [
  {
    ...SHARED,
    resource: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    problems: webhookConfigurationProblems(true),
  },
  {
    ...SHARED,
    resource: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    problems: webhookConfigurationProblems(false),
  },
  {
    ...SHARED,
    resource: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    problems: validatingPolicyProblems,
    statusProblems: policyStatusProblems,
  },
  {
    ...SHARED,
    resource: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    problems: validatingBindingProblems,
  },
  {
    ...SHARED,
    resource: 'mutatingadmissionpolicies',
    kind: 'MutatingAdmissionPolicy',
    problems: mutatingPolicyProblems,
  },
  {
    ...SHARED,
    resource: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    problems: mutatingBindingProblems,
  },
];
