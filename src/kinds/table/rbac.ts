/**
 * RBAC: what a tenant grants to its own users. None of it grants anything on the host.
 *
 * Roles and RoleBindings are native with inert subjects; cluster-wide ones are virtual, because ten thousand native
 * bindings cost every request of the host milliseconds.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
import type { CellRule, Kind, Reference } from '../kind.ts';
import { groupRef, objectRef } from '../refs.ts';
import { native, virtual } from '../row.ts';

const GROUP = 'rbac.authorization.k8s.io';
// resourceNames stay: they name objects as the tenant does, and only the proxy ever reads them with effect.
const RULES: readonly Reference[] = [groupRef('rules[].apiGroups[]')];
const BINDING: readonly Reference[] = [{ path: 'subjects[]', target: { is: 'subject' } }, objectRef('roleRef')];
const BINDING_COLUMNS: Readonly<Record<string, CellRule>> = {
  role: { cell: 'kindName' },
  users: { cell: 'subjects', kind: 'User' },
  groups: { cell: 'subjects', kind: 'Group' },
  serviceaccounts: { cell: 'subjects', kind: 'ServiceAccount' },
};

export const RBAC: readonly Kind[] = [
  native({
    group: GROUP,
    resource: 'roles',
    kind: 'Role',
    reason: 'stored as it is; nobody on the host is ever bound to it',
    refs: RULES,
  }),
  native({
    group: GROUP,
    resource: 'rolebindings',
    kind: 'RoleBinding',
    reason: 'stored with inert subjects; the proxy alone gives it meaning',
    refs: BINDING,
    columns: BINDING_COLUMNS,
  }),
  virtual({
    group: GROUP,
    resource: 'clusterroles',
    kind: 'ClusterRole',
    reason: 'must not act on the host, nor be aggregated into its roles',
    filled: { rules: null },
    generation: 'none',
    refs: RULES,
  }),
  virtual({
    group: GROUP,
    resource: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    reason: 'must not act on the host; native ones slow every request of it',
    generation: 'none',
    refs: BINDING,
    columns: BINDING_COLUMNS,
  }),
];
