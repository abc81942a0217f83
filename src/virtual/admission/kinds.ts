/** The kinds of admissionregistration.k8s.io. */
import type { OwnKind } from '../own-kind.ts';
import { mutatingBindingProblems, validatingBindingProblems } from './bindings.ts';
import { expressionVolumeProblems } from './expression-volume.ts';
import { mutatingPolicyProblems, policyStatusProblems, validatingPolicyProblems } from './policies.ts';
import { webhookConfigurationProblems } from './webhooks.ts';

const SHARED = { group: 'admissionregistration.k8s.io', unconditionalUpdate: false } as const;

/** Nothing is compiled of an object that gives too much to compile. */
function bounded(problems: OwnKind['problems']): OwnKind['problems'] {
  return (object, previous, subresource) => {
    const tooMuch = expressionVolumeProblems(object);
    return tooMuch.length > 0 ? tooMuch : problems(object, previous, subresource);
  };
}

export const ADMISSION_KINDS: readonly OwnKind[] = [
  {
    ...SHARED,
    resource: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    problems: bounded(webhookConfigurationProblems(true)),
  },
  {
    ...SHARED,
    resource: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    problems: bounded(webhookConfigurationProblems(false)),
  },
  {
    ...SHARED,
    resource: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    problems: bounded(validatingPolicyProblems),
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
    problems: bounded(mutatingPolicyProblems),
  },
  {
    ...SHARED,
    resource: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    problems: mutatingBindingProblems,
  },
];
