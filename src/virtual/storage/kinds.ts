/** The virtual kinds of storage.k8s.io. */
import type { OwnKind } from '../own-kind.ts';
import { csiDriverProblems } from './csi-driver.ts';
import { csiNodeProblems } from './csi-node.ts';
import { canonicalCapacity, csiStorageCapacityProblems } from './csi-storage-capacity.ts';
import { attachmentStatusProblems, volumeAttachmentProblems } from './volume-attachment.ts';

const SHARED = { group: 'storage.k8s.io', unconditionalUpdate: false } as const;

export const STORAGE_KINDS: readonly OwnKind[] = [
  { ...SHARED, resource: 'csidrivers', kind: 'CSIDriver', problems: csiDriverProblems },
  { ...SHARED, resource: 'csinodes', kind: 'CSINode', problems: csiNodeProblems },
  {
    ...SHARED,
    resource: 'csistoragecapacities',
    kind: 'CSIStorageCapacity',
    problems: csiStorageCapacityProblems,
    defaults: canonicalCapacity,
  },
  {
    ...SHARED,
    resource: 'volumeattachments',
    kind: 'VolumeAttachment',
    problems: volumeAttachmentProblems,
    statusProblems: attachmentStatusProblems,
  },
];
