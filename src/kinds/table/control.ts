/**
 * What steers an API server: admission, aggregation, fairness. None of it may act on the host for a tenant, so all of it
 * is absent until the proxy gives it meaning itself. The references are written down already; they are what it will need.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
import type { Kind, Reference } from '../kind.ts';
import { conditionRefs, groupRef, nameRef, namespaceRef, namespaceSelectorRef } from '../refs.ts';
import { absent, OPEN } from '../row.ts';

const ADMISSION = 'admissionregistration.k8s.io';
const WEBHOOKS = 'on the host it acts on, and stalls, everybody: comes as a virtual kind with virtual admission';
const FAIRNESS = 'steers the host’s own queues: comes as a virtual kind without effect, for conformance';

const WEBHOOK_REFS: readonly Reference[] = [
  namespaceRef('webhooks[].clientConfig.service.namespace'),
  groupRef('webhooks[].rules[].apiGroups[]'),
  namespaceSelectorRef('webhooks[].namespaceSelector'),
];

function matchRefs(path: string): Reference[] {
  return [
    groupRef(`${path}.resourceRules[].apiGroups[]`),
    groupRef(`${path}.excludeResourceRules[].apiGroups[]`),
    namespaceSelectorRef(`${path}.namespaceSelector`),
  ];
}

function policyRefs(): Reference[] {
  return [{ path: 'spec.paramKind.apiVersion', target: { is: 'apiVersion' } }, ...matchRefs('spec.matchConstraints')];
}

function bindingRefs(policies: string): Reference[] {
  return [
    nameRef('spec.policyName', `${ADMISSION}/${policies}`),
    namespaceRef('spec.paramRef.namespace'),
    ...matchRefs('spec.matchResources'),
  ];
}

export const CONTROL: readonly Kind[] = [
  absent({
    group: ADMISSION,
    resource: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    reason: WEBHOOKS,
    refs: WEBHOOK_REFS,
  }),
  absent({
    group: ADMISSION,
    resource: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    reason: WEBHOOKS,
    refs: WEBHOOK_REFS,
  }),
  absent({
    group: ADMISSION,
    resource: 'validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    reason: WEBHOOKS,
    refs: [...policyRefs(), ...conditionRefs()],
    subresources: { status: OPEN },
  }),
  absent({
    group: ADMISSION,
    resource: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    reason: WEBHOOKS,
    refs: bindingRefs('validatingadmissionpolicies'),
  }),
  absent({
    group: ADMISSION,
    resource: 'mutatingadmissionpolicies',
    kind: 'MutatingAdmissionPolicy',
    reason: WEBHOOKS,
    refs: policyRefs(),
  }),
  absent({
    group: ADMISSION,
    resource: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    reason: WEBHOOKS,
    refs: bindingRefs('mutatingadmissionpolicies'),
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
