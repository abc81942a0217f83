/**
 * How kinds are printed whose Tables upstream cannot make: virtual ones, as a CRD's printer columns cannot say what the
 * native kinds print, and namespaces that stand without being stored.
 * @see k8s.io/kubernetes pkg/printers/internalversion/printers.go at v1.36
 */
import { metadataOf, nameOf } from '../k8s/meta.ts';
import { child, objects } from '../k8s/read.ts';
import type { JsonObject } from '../k8s/types.ts';
import { humanDuration } from '../lib/human-duration.ts';
import type { Printer, Printers } from '../ports.ts';
import { RBAC_GROUP } from './rbac-validation.ts';

const NAME: JsonObject = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
};
const CREATED =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

function column(name: string, description: string, priority = 0, type = 'string'): JsonObject {
  return { name, type, format: '', description, priority };
}

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
    column('Age', CREATED),
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
  columns: [NAME, column('Status', 'The status of the namespace'), column('Age', CREATED)],
  cells: (namespace, nowMs) => [nameOf(namespace), String(child(namespace, 'status')['phase']), age(namespace, nowMs)],
};

const PRINTERS: ReadonlyMap<string, Printer> = new Map([
  ['/namespaces', NAMESPACES],
  [`${RBAC_GROUP}/clusterroles`, CLUSTER_ROLES],
  [`${RBAC_GROUP}/clusterrolebindings`, CLUSTER_ROLE_BINDINGS],
]);

export const printerOf: Printers = (group, resource) => PRINTERS.get(`${group}/${resource}`);

function name(subject: JsonObject): string {
  return String(subject['name'] ?? '');
}

function createdAt(object: JsonObject): string {
  const created = metadataOf(object)['creationTimestamp'];
  return typeof created === 'string' ? created : '<unknown>';
}

function age(object: JsonObject, nowMs: number): string {
  const created = Date.parse(createdAt(object));
  return Number.isNaN(created) ? '<unknown>' : humanDuration(nowMs - created);
}
