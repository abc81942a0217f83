/**
 * How kinds are printed whose Tables upstream cannot make: virtual ones, as a CRD's printer columns cannot say what the
 * native kinds print, and namespaces that stand without being stored.
 * @see k8s.io/kubernetes pkg/printers/internalversion/printers.go at v1.36
 */
import { nameOf } from '../k8s/meta.ts';
import { child, objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { Printer, Printers } from '../ports.ts';
import { ADMISSION_PRINTERS } from './admission/tables.ts';
import { AGE, age, CREATED, column, createdAt, NAME } from './columns.ts';
import { RBAC_GROUP } from './rbac-validation.ts';

const CLUSTER_ROLES: Printer = {
  columns: [NAME, column('Created At', CREATED, 0, 'date')],
  cells: (role) => [nameOf(role), createdAt(role)],
};

const CLUSTER_ROLE_BINDINGS: Printer = {
  columns: [
    NAME,
    column(
      'Role',
      'RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.',
    ),
    AGE,
    column('Users', 'Users in the clusterRoleBinding', 1),
    column('Groups', 'Groups in the clusterRoleBinding', 1),
    column('ServiceAccounts', 'ServiceAccounts in the clusterRoleBinding', 1),
  ],
  cells(binding, nowMs) {
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
  },
};

const NAMESPACES: Printer = {
  columns: [NAME, column('Status', 'The status of the namespace'), AGE],
  cells: (namespace, nowMs) => [nameOf(namespace), String(child(namespace, 'status')['phase']), age(namespace, nowMs)],
};

const PRINTERS: ReadonlyMap<string, Printer> = new Map([
  ['/namespaces', NAMESPACES],
  [`${RBAC_GROUP}/clusterroles`, CLUSTER_ROLES],
  [`${RBAC_GROUP}/clusterrolebindings`, CLUSTER_ROLE_BINDINGS],
  ...ADMISSION_PRINTERS,
]);

export const printerOf: Printers = (group, resource) => PRINTERS.get(`${group}/${resource}`);

function name(subject: JsonObject): string {
  return String(subject['name'] ?? '');
}
