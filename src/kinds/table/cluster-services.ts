/**
 * Classes that pods name, leases, and devices.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
 */
import type { Kind } from '../kind.ts';
import {
  conditionRefs,
  deviceClaimRefs,
  deviceSelectorRef,
  groupRef,
  specialRef,
  templateMetadataRef,
} from '../refs.ts';
import { mixed, native, TRUSTED_ONLY, TRUSTED_STATUS, virtual } from '../row.ts';

const RESOURCE = 'resource.k8s.io';
const ALLOCATION = 'an allocation written past the scheduler takes any device of any node';

export const CLUSTER_SERVICES: readonly Kind[] = [
  mixed({
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    kind: 'PriorityClass',
    chosen: true,
    defaultMark: { field: 'globalDefault' },
    reason: 'a number that preempts everybody’s pods; a global default of a tenant would act on everybody',
    shows: ['value', 'description', 'globalDefault', 'preemptionPolicy'],
    columns: { 'global-default': { cell: 'default' } },
    refs: [specialRef('metadata', 'globalDefaultMark'), specialRef('globalDefault', 'globalDefault')],
  }),
  mixed({
    group: 'node.k8s.io',
    resource: 'runtimeclasses',
    kind: 'RuntimeClass',
    chosen: true,
    reason: 'names a handler on the host’s nodes',
    shows: ['handler', 'overhead', 'scheduling'],
  }),
  native({
    group: 'coordination.k8s.io',
    resource: 'leases',
    kind: 'Lease',
    reason: 'lives in the tenant’s namespace and means nothing outside it',
  }),
  native({
    group: RESOURCE,
    resource: 'resourceclaims',
    kind: 'ResourceClaim',
    reason: 'the host’s scheduler allocates devices of a class that the policy publishes',
    refs: [
      ...deviceClaimRefs('spec.devices'),
      // A consumer is named by group and resource, always in the claim's namespace.
      groupRef('status.reservedFor[].apiGroup'),
      ...conditionRefs('status.devices[].conditions'),
    ],
    subresources: { status: TRUSTED_STATUS },
    withheld: { 'status:update': ALLOCATION, 'status:patch': ALLOCATION },
  }),
  native({
    group: RESOURCE,
    resource: 'resourceclaimtemplates',
    kind: 'ResourceClaimTemplate',
    reason: 'the host’s controller makes claims of it in the same namespace',
    refs: [templateMetadataRef('spec.metadata'), ...deviceClaimRefs('spec.spec.devices')],
  }),
  mixed({
    group: RESOURCE,
    resource: 'deviceclasses',
    kind: 'DeviceClass',
    chosen: true,
    reason: 'names drivers of the host; its extended resource name is global',
    classes: { trusted: 'mixed', baseline: 'published', restricted: 'absent' },
    // Not `config`: parameters of the host's drivers.
    shows: ['spec.selectors', 'spec.extendedResourceName'],
    refs: [specialRef('spec.extendedResourceName', 'extendedResource'), deviceSelectorRef('spec')],
  }),
  virtual({
    group: RESOURCE,
    resource: 'resourceslices',
    kind: 'ResourceSlice',
    classes: TRUSTED_ONLY,
    returned: true,
    reason:
      'offers devices of the host’s nodes to everybody: a tenant’s own is stored and shown as it is, and offers nothing',
    selectable: ['spec.nodeName', 'spec.driver'],
  }),
];
