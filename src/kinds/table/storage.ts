/**
 * storage.k8s.io: classes of volumes, and how the host attaches them.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/
 */
import type { Kind } from '../kind.ts';
import { specialRef } from '../refs.ts';
import { mixed, OPEN, TRUSTED_ONLY, virtual } from '../row.ts';

const GROUP = 'storage.k8s.io';
const DRIVERS = 'plumbing of the host’s storage drivers: stored and shown as it is, and no driver reads it';

export const STORAGE: readonly Kind[] = [
  mixed({
    group: GROUP,
    resource: 'storageclasses',
    kind: 'StorageClass',
    chosen: true,
    defaultMark: {
      annotations: ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'],
      printed: true,
    },
    reason: 'names a provisioner of the host; a default mark of a tenant would act on everybody',
    // Not `parameters`: they name secrets and pools of the host.
    shows: [
      'provisioner',
      'reclaimPolicy',
      'volumeBindingMode',
      'allowVolumeExpansion',
      'allowedTopologies',
      'mountOptions',
    ],
    refs: [specialRef('metadata.annotations{key}', 'defaultAnnotation'), specialRef('parameters', 'storageParameters')],
  }),
  mixed({
    group: GROUP,
    resource: 'volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    chosen: true,
    reason: 'names a driver of the host',
    shows: ['driverName'],
  }),
  virtual({
    group: GROUP,
    resource: 'csidrivers',
    kind: 'CSIDriver',
    classes: TRUSTED_ONLY,
    returned: true,
    reason: DRIVERS,
    generation: 'changes',
  }),
  virtual({
    group: GROUP,
    resource: 'csinodes',
    kind: 'CSINode',
    classes: TRUSTED_ONLY,
    returned: true,
    reason: DRIVERS,
    generation: 'none',
  }),
  virtual({
    group: GROUP,
    resource: 'csistoragecapacities',
    kind: 'CSIStorageCapacity',
    namespaced: true,
    classes: TRUSTED_ONLY,
    reason:
      'the host’s scheduler reads it from every namespace, and a tenant’s own would stop everybody’s volumes: stored and shown as it is',
    generation: 'none',
  }),
  virtual({
    group: GROUP,
    resource: 'volumeattachments',
    kind: 'VolumeAttachment',
    classes: TRUSTED_ONLY,
    returned: true,
    reason: DRIVERS,
    generation: 'none',
    filled: { status: { attached: false } },
    subresources: { status: OPEN },
  }),
];
