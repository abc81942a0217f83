/**
 * storage.k8s.io: classes of volumes, and how the host attaches them.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/
 */
import type { Kind } from '../kind.ts';
import { messageRef, NODES, nameRef, STORAGE_CLASSES, VOLUMES, volumeSpecRefs } from '../refs.ts';
import { absent, OPEN, published } from '../row.ts';

const GROUP = 'storage.k8s.io';
const DRIVERS = 'plumbing of the host’s storage drivers: comes as a virtual kind for conformance';

export const STORAGE: readonly Kind[] = [
  published({
    group: GROUP,
    resource: 'storageclasses',
    kind: 'StorageClass',
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
  }),
  published({
    group: GROUP,
    resource: 'volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    reason: 'names a driver of the host',
    shows: ['driverName'],
  }),
  absent({ group: GROUP, resource: 'csidrivers', kind: 'CSIDriver', reason: DRIVERS }),
  absent({ group: GROUP, resource: 'csinodes', kind: 'CSINode', reason: DRIVERS }),
  absent({
    group: GROUP,
    resource: 'csistoragecapacities',
    kind: 'CSIStorageCapacity',
    namespaced: true,
    reason: 'the host’s scheduler reads it from every namespace: a tenant’s own would stop everybody’s volumes',
    refs: [nameRef('storageClassName', STORAGE_CLASSES)],
  }),
  absent({
    group: GROUP,
    resource: 'volumeattachments',
    kind: 'VolumeAttachment',
    reason: DRIVERS,
    refs: [
      nameRef('spec.nodeName', NODES),
      nameRef('spec.source.persistentVolumeName', VOLUMES),
      ...volumeSpecRefs('spec.source.inlineVolumeSpec'),
      messageRef('status.attachError.message'),
      messageRef('status.detachError.message'),
    ],
    subresources: { status: OPEN },
  }),
];
