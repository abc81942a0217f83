/**
 * Core group: the host's machines, and two relics.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/
 */
import type { Kind, Reference } from '../kind.ts';
import { namespaceRef, objectRef } from '../refs.ts';
import { absent, published, READ_ONLY } from '../row.ts';

const HOST_ONLY = 'the host’s own';

export const CORE_NODES: readonly Kind[] = [
  published({
    group: '',
    resource: 'nodes',
    kind: 'Node',
    reason: 'the host’s machines, which schedulers and tools want to see; `restricted` hides them',
    classes: { trusted: 'published', baseline: 'published', restricted: 'absent' },
    // Not `status.images`, `volumesInUse`, `volumesAttached`: they speak of all tenants' pods.
    shows: [
      'spec.podCIDR',
      'spec.podCIDRs',
      'spec.providerID',
      'spec.taints',
      'spec.unschedulable',
      'status.addresses',
      'status.allocatable',
      'status.capacity',
      'status.conditions',
      'status.features',
      'status.nodeInfo',
      'status.runtimeHandlers',
    ],
    refs: [namespaceRef('spec.configSource.configMap.namespace'), ...nodeConfigRefs()],
    subresources: { status: READ_ONLY },
    withheld: {
      'status:update': HOST_ONLY,
      'status:patch': HOST_ONLY,
      proxy: 'reaches the kubelet, hence every tenant’s pods; never',
    },
  }),
  absent({
    group: '',
    resource: 'bindings',
    kind: 'Binding',
    namespaced: true,
    verbs: ['create'],
    reason: 'chooses a node past the scheduler and past every policy',
    refs: [objectRef('target')],
  }),
  absent({
    group: '',
    resource: 'componentstatuses',
    kind: 'ComponentStatus',
    verbs: ['get', 'list'],
    reason: 'deprecated, and speaks of the host’s own programs',
  }),
];

function nodeConfigRefs(): Reference[] {
  return ['active', 'assigned', 'lastKnownGood'].map((which) =>
    namespaceRef(`status.config.${which}.configMap.namespace`),
  );
}
