/**
 * How kinds are printed whose Tables upstream cannot make: virtual ones, as a CRD's printer columns cannot say what the
 * native kinds print, and namespaces that stand without being stored.
 * @see k8s.io/kubernetes pkg/printers/internalversion/printers.go at v1.36
 */
import { nameOf } from '../k8s/meta.ts';
import { child, objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Printer, Printers } from '../ports.ts';
import { ADMISSION_CELLS } from './admission/tables.ts';
import { API_SERVICE_CELLS } from './api-services.ts';
import { age, type CellsByKind, createdAt } from './cells.ts';
import { CERTIFICATE_CELLS } from './certificates/kind.ts';
import { FLOW_CELLS } from './flow-control/tables.ts';
import { NETWORKING_CELLS } from './networking.ts';
import { RBAC_GROUP } from './rbac-validation.ts';
import { RESOURCE_CELLS } from './resource/resource-slice.ts';
import { STORAGE_CELLS } from './storage/tables.ts';
import columns from './table-columns.generated.json' with { type: 'json' };

const COLUMNS: ReadonlyMap<string, readonly JsonObject[]> = new Map(Object.entries(columns));

const OTHER_CELLS: CellsByKind = [
  ['/namespaces', (object, nowMs) => [nameOf(object), String(child(object, 'status')['phase']), age(object, nowMs)]],
  [`${RBAC_GROUP}/clusterroles`, (role) => [nameOf(role), createdAt(role)]],
  [`${RBAC_GROUP}/clusterrolebindings`, clusterRoleBinding],
];

const PRINTERS: ReadonlyMap<string, Printer> = new Map(
  [
    ...OTHER_CELLS,
    ...ADMISSION_CELLS,
    ...FLOW_CELLS,
    ...API_SERVICE_CELLS,
    ...STORAGE_CELLS,
    ...NETWORKING_CELLS,
    ...CERTIFICATE_CELLS,
    ...RESOURCE_CELLS,
  ].map(([key, cells]) => [key, { columns: COLUMNS.get(key) ?? [], cells }]),
);

export const printerOf: Printers = (group, resource) => PRINTERS.get(`${group}/${resource}`);

function clusterRoleBinding(binding: JsonObject, nowMs: number) {
  const roleRef = child(binding, 'roleRef');
  const subjects = objects(binding, 'subjects');
  const of = (kind: string) => subjects.filter((subject) => subject['kind'] === kind);
  return [
    nameOf(binding),
    `${roleRef['kind'] ?? ''}/${roleRef['name'] ?? ''}`,
    age(binding, nowMs),
    of('User').map(name).join(', '),
    of('Group').map(name).join(', '),
    of('ServiceAccount')
      .map((account) => `${account['namespace'] ?? ''}/${name(account)}`)
      .join(', '),
  ];
}

function name(subject: JsonObject): string {
  return String(subject['name'] ?? '');
}
