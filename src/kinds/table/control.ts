/**
 * What steers an API server: admission, aggregation, fairness. None of it may act on the host for a tenant, so it is
 * virtual. References in it stay as the tenant wrote them: upstream nothing follows them, and the proxy reads them in the
 * tenant's terms.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
import type { Kind } from '../kind.ts';
import { OPEN, TRUSTED_ONLY, virtual } from '../row.ts';

const ADMISSION = 'admissionregistration.k8s.io';
const WEBHOOKS =
  'on the host it would act on, and stall, everybody; stored and shown as it is, and called by the proxy for the tenant’s requests';
const POLICIES =
  'on the host it would act on everybody; stored and shown as it is, and run by the proxy for the tenant’s own requests';
const FAIRNESS = 'steers the host’s own queues: stored and shown as it is, without effect';

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
    reason: POLICIES,
    filled: { status: {} },
    subresources: { status: OPEN },
  }),
  virtual({
    group: ADMISSION,
    resource: 'validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    reason: POLICIES,
  }),
  virtual({
    group: ADMISSION,
    resource: 'mutatingadmissionpolicies',
    kind: 'MutatingAdmissionPolicy',
    reason: POLICIES,
  }),
  virtual({
    group: ADMISSION,
    resource: 'mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    reason: POLICIES,
  }),
  virtual({
    group: 'apiregistration.k8s.io',
    resource: 'apiservices',
    kind: 'APIService',
    classes: TRUSTED_ONLY,
    reason: 'takes over API traffic of the host: stored and shown as it is, and nothing is served by it',
    generation: 'none',
    filled: { status: {} },
    subresources: { status: OPEN },
  }),
  virtual({
    group: 'flowcontrol.apiserver.k8s.io',
    resource: 'flowschemas',
    kind: 'FlowSchema',
    classes: TRUSTED_ONLY,
    reason: FAIRNESS,
    filled: { status: {} },
    subresources: { status: OPEN },
  }),
  virtual({
    group: 'flowcontrol.apiserver.k8s.io',
    resource: 'prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    classes: TRUSTED_ONLY,
    reason: FAIRNESS,
    filled: { status: {} },
    subresources: { status: OPEN },
  }),
];
