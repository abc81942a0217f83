/**
 * How the virtual kinds of storage.k8s.io are printed.
 * @see k8s.io/kubernetes pkg/printers/internalversion/printers.go at v1.36
 */
import { nameOf } from '../../k8s/meta.ts';
import { child, text } from '../../k8s/read.ts';
import type { JsonObject } from '../../k8s/types.ts';
import { age, type CellsByKind, createdAt } from '../cells.ts';
import { isSet, list, values, words } from '../field-checks.ts';

const GROUP = 'storage.k8s.io';

export const STORAGE_CELLS: CellsByKind = [
  [`${GROUP}/csidrivers`, csiDriver],
  [`${GROUP}/csinodes`, csiNode],
  // The API server has a printer for it and does not use it.
  [`${GROUP}/csistoragecapacities`, (capacity) => [nameOf(capacity), createdAt(capacity)]],
  [`${GROUP}/volumeattachments`, volumeAttachment],
];

function csiDriver(driver: JsonObject, nowMs: number) {
  const spec = child(driver, 'spec');
  const audiences = list(spec, 'tokenRequests').map((request) => text(request, 'audience'));
  const modes = words(spec, 'volumeLifecycleModes').join(',');
  return [
    nameOf(driver),
    spec['attachRequired'] !== false,
    spec['podInfoOnMount'] === true,
    spec['storageCapacity'] === true,
    isSet(spec, 'tokenRequests') ? audiences.join(',') : '<unset>',
    spec['requiresRepublish'] === true,
    modes === '' ? '<none>' : modes,
    age(driver, nowMs),
  ];
}

function csiNode(node: JsonObject, nowMs: number) {
  return [nameOf(node), values(child(node, 'spec'), 'drivers').length, age(node, nowMs)];
}

function volumeAttachment(attachment: JsonObject, nowMs: number) {
  const spec = child(attachment, 'spec');
  return [
    nameOf(attachment),
    text(spec, 'attacher'),
    text(child(spec, 'source'), 'persistentVolumeName'),
    text(spec, 'nodeName'),
    child(attachment, 'status')['attached'] === true,
    age(attachment, nowMs),
  ];
}
