/** RBAC of one tenant in the size of a large one: roles and bindings to users and groups, in the proxy's own index. */
import type { RbacResource } from '../../src/authz/rbac-index.ts';
import { createTenantRbac, type TenantRbac } from '../../src/authz/tenant-rbac.ts';
import type { Informer } from '../../src/k8s/informer.ts';
import type { JsonObject } from '../../src/k8s/types.ts';
import type { TenantId } from '../../src/tenancy/names.ts';
import type { Tenant } from '../../src/tenancy/tenant.ts';
import { defaultRoles } from '../../src/virtual/standing.ts';

export const ROLES = 1_000;
export const BINDINGS = 5_000;
export const NAMESPACES = 20;
const RESOURCES = ['pods', 'secrets', 'configmaps', 'services', 'endpoints', 'events'];
const VERBS = ['get', 'list', 'watch', 'update', 'delete'];

export function largeTenant(): { rbac: TenantRbac; tenant: Tenant } {
  const id = 'acme' as TenantId;
  const tenant: Tenant = { id, uid: 'u', createdAt: '', phase: 'Active', clientCaPem: '', policy: 'default' };
  const rbac = createTenantRbac({
    informers: {
      roles: holding(roles()),
      rolebindings: holding(bindings()),
      clusterroles: holding([]),
      clusterrolebindings: holding([]),
    },
    // They are made in the tenant's terms but for the namespace, which says whose they are.
    view: (_tenant, _resource: RbacResource, object) => {
      const { namespace, ...metadata } = object['metadata'] as JsonObject;
      return { ...object, metadata: { ...metadata, namespace: String(namespace).replace('acme--', '') } };
    },
    defaults: defaultRoles(),
  });
  return { rbac, tenant };
}

function roles(): JsonObject[] {
  return Array.from({ length: ROLES }, (_, at) => ({
    metadata: metadata(`role-${at}`, at),
    rules: [0, 1, 2].map((rule) => ({
      apiGroups: [rule === 2 ? 'apps' : ''],
      resources: [RESOURCES[(at + rule) % RESOURCES.length] ?? ''],
      verbs: [VERBS[at % VERBS.length] ?? '', VERBS[(at + rule) % VERBS.length] ?? ''],
      ...(at % 4 === 0 ? { resourceNames: [`one-${at % NAMESPACES}`] } : {}),
    })),
  }));
}

/** Each names a role of its namespace; one of ten a group, of which there are a thousand, and the others users. */
function bindings(): JsonObject[] {
  return Array.from({ length: BINDINGS }, (_, at) => {
    const subject =
      at % 10 === 0 ? { kind: 'Group', name: `group-${(at / 10) % 1_000}` } : { kind: 'User', name: `user-${at}` };
    return {
      metadata: metadata(`binding-${at}`, at),
      roleRef: { kind: 'Role', name: `role-${at % ROLES}` },
      subjects: [subject],
    };
  });
}

function metadata(name: string, at: number): JsonObject {
  return { name, namespace: `acme--ns-${at % NAMESPACES}` };
}

function holding(objects: readonly JsonObject[]): Informer {
  return {
    synced: true,
    whenSynced: () => Promise.resolve(),
    get: () => undefined,
    list: () => objects,
    note() {},
    forget() {},
    subscribe(listener) {
      for (const object of objects) listener({ type: 'added', object });
      return () => {};
    },
  };
}
