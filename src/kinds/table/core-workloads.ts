/**
 * Core group: pods and what runs them.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/
 */
import type { Kind } from '../kind.ts';
import {
  amountRefs,
  conditionRefs,
  containerStatusRefs,
  messageRef,
  NODES,
  nameRef,
  PRIORITY_CLASSES,
  podSpecRefs,
  podTemplateRefs,
  specialRef,
} from '../refs.ts';
import { LOG, native, OPEN, PROXY, SCALE, TRUSTED_STATUS, TUNNEL } from '../row.ts';

export const CORE_WORKLOADS: readonly Kind[] = [
  native({
    group: '',
    resource: 'pods',
    kind: 'Pod',
    reason: 'runs on the host’s nodes under its own name in the tenant’s namespace',
    classByDefault: { field: 'priorityClassName', of: PRIORITY_CLASSES },
    isPodClient: true,
    refs: [
      ...podSpecRefs('spec'),
      ...conditionRefs(),
      messageRef('status.message'),
      ...containerStatusRefs('status'),
      ...amountRefs('status.allocatedResources', 'status.resources.limits', 'status.resources.requests'),
      specialRef('status.extendedResourceClaimStatus.requestMappings[].resourceName', 'quotaKey'),
      nameRef('status.nominatedNodeName', NODES),
    ],
    subresources: {
      status: TRUSTED_STATUS,
      ephemeralcontainers: OPEN,
      resize: OPEN,
      attach: TUNNEL,
      exec: TUNNEL,
      log: LOG,
      portforward: TUNNEL,
      proxy: PROXY,
      eviction: { verbs: ['create'], group: 'policy', kind: 'Eviction' },
    },
    withheld: {
      'status:update': 'a forged podIP or phase misleads the host’s network plugins and controllers',
      'status:patch': 'a forged podIP or phase misleads the host’s network plugins and controllers',
      binding: 'chooses a node past the scheduler and past every policy',
    },
    fieldSelectors: {
      'spec.nodeName': { is: 'name', of: NODES },
      'status.nominatedNodeName': { is: 'name', of: NODES },
    },
    columns: { node: { cell: 'name', of: NODES }, 'nominated node': { cell: 'name', of: NODES } },
  }),
  native({
    group: '',
    resource: 'podtemplates',
    kind: 'PodTemplate',
    reason: 'inert data in the tenant’s namespace',
    refs: podTemplateRefs('template'),
  }),
  native({
    group: '',
    resource: 'replicationcontrollers',
    kind: 'ReplicationController',
    reason: 'the host’s controller makes its pods in the same namespace',
    refs: [...podTemplateRefs('spec.template'), ...conditionRefs()],
    subresources: { status: OPEN, scale: SCALE },
  }),
];
