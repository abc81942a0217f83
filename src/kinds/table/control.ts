/**
 * What steers an API server: admission, aggregation, fairness. None of it may act on the host for a tenant, so it is
 * virtual. References in it stay as the tenant wrote them: upstream nothing follows them, and the proxy reads them in the
 * tenant's terms.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
import type { Kind } from '../kind.ts';
import { conditionRefs, groupRef, nameRef, namespaceRef } from '../refs.ts';
import { absent, OPEN, virtual } from '../row.ts';

const ADMISSION = 'admissionregistration.k8s.io';
const WEBHOOKS = 'on the host it would act on, and stall, everybody; stored and shown as it is, and it acts on nobody';
const FAIRNESS = 'steers the host’s own queues: comes as a virtual kind without effect, for conformance';

export const CONTROL: readonly Kind[] = [
  virtual({
    group: ADMISSION,
    resource: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    reason: WEBHOOKS,
  }),
  virtual({
    group: ADMISSION,
    resource: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    reason: WEBHOOKS,
  }),
  virtual({
    group: ADMISSION,
    resource: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    reason: WEBHOOKS,
    subresources: { status: OPEN },
  }),
  virtual({
    group: ADMISSION,
    resource: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    reason: WEBHOOKS,
  }),
  virtual({
    group: ADMISSION,
    resource: 'mutatingadmissionpolicies',
    kind: 'MutatingAdmissionPolicy',
    reason: WEBHOOKS,
  }),
  virtual({
    group: ADMISSION,
    resource: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    reason: WEBHOOKS,
  }),
  absent({
    group: 'apiregistration.k8s.io',
    resource: 'apiservices',
    kind: 'APIService',
    reason: 'takes over API traffic of the host: comes as a virtual kind for conformance',
    refs: [groupRef('spec.group'), namespaceRef('spec.service.namespace'), ...conditionRefs()],
    subresources: { status: OPEN },
  }),
  absent({
    group: 'flowcontrol.apiserver.k8s.io',
    resource: 'flowschemas',
    kind: 'FlowSchema',
    reason: FAIRNESS,
    refs: [
      { path: 'spec.rules[].subjects[]', target: { is: 'subject' } },
      groupRef('spec.rules[].resourceRules[].apiGroups[]'),
      namespaceRef('spec.rules[].resourceRules[].namespaces[]'),
      nameRef('spec.priorityLevelConfiguration.name', 'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations'),
      ...conditionRefs(),
    ],
    subresources: { status: OPEN },
  }),
  absent({
    group: 'flowcontrol.apiserver.k8s.io',
    resource: 'prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    reason: FAIRNESS,
    refs: conditionRefs(),
    subresources: { status: OPEN },
  }),
];
