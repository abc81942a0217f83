/**
 * Core group: volumes and claims on them.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/
 */
import type { Kind } from '../kind.ts';
import {
  claimRefs,
  messageRef,
  STORAGE_CLASSES,
  specialRef,
  VOLUME_ATTRIBUTES_CLASSES,
  VOLUMES,
  volumeSpecRefs,
} from '../refs.ts';
import { mixed, native, OPEN } from '../row.ts';

export const CORE_VOLUMES: readonly Kind[] = [
  native({
    group: '',
    resource: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    reason: 'the host’s controllers bind it to a volume of a class that the policy publishes',
    refs: claimRefs(),
    classByDefault: {
      field: 'storageClassName',
      of: STORAGE_CLASSES,
      unlessAnnotated: 'volume.beta.kubernetes.io/storage-class',
    },
    subresources: { status: OPEN },
    columns: {
      volume: { cell: 'name', of: VOLUMES },
      storageclass: { cell: 'name', of: STORAGE_CLASSES },
      volumeattributesclass: { cell: 'name', of: VOLUME_ATTRIBUTES_CLASSES },
    },
  }),
  mixed({
    group: '',
    resource: 'persistentvolumes',
    kind: 'PersistentVolume',
    reason: 'the host’s provisioners name them; a tenant sees, read-only, those whose claim is its own',
    owned: { by: 'spec.claimRef.namespace' },
    // Not the volume's source: it names servers, handles and secrets of the host.
    shows: [
      'spec.accessModes',
      'spec.capacity',
      'spec.claimRef',
      'spec.mountOptions',
      'spec.nodeAffinity',
      'spec.persistentVolumeReclaimPolicy',
      'spec.storageClassName',
      'spec.volumeAttributesClassName',
      'spec.volumeMode',
      'spec.csi.driver',
      'status.lastPhaseTransitionTime',
      'status.message',
      'status.phase',
      'status.reason',
    ],
    refs: [
      specialRef('metadata.annotations', 'volumeAnnotations'),
      ...volumeSpecRefs('spec'),
      messageRef('status.message'),
    ],
    subresources: { status: OPEN },
    columns: {
      claim: { cell: 'namespacedName' },
      storageclass: { cell: 'name', of: STORAGE_CLASSES },
      volumeattributesclass: { cell: 'name', of: VOLUME_ATTRIBUTES_CLASSES },
      reason: { cell: 'message' },
    },
  }),
];
