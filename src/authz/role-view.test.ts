import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../k8s/types.ts';
import { KINDS } from '../kinds/table.ts';
import type { TenantId } from '../tenancy/names.ts';
import { createRoleView } from './role-view.ts';

const RBAC = 'rbac.authorization.k8s.io';
const acme = 'acme' as TenantId;
const view = createRoleView((group) => group === 'apps' || group === RBAC);

function stored(name: string, part: JsonObject, namespace?: string): JsonObject {
  const labels = { 'kubeveil.dev/tenant': 'acme' };
  return { metadata: namespace === undefined ? { name, labels } : { name, namespace }, ...part };
}
function bound(subject: string, roleRef: JsonObject): JsonObject {
  return {
    subjects: [{ kind: 'User', apiGroup: RBAC, name: `kubeveil.inert/acme/${subject}` }],
    roleRef: { apiGroup: RBAC, ...roleRef },
  };
}

describe('the view of roles', () => {
  it('is of kinds that have one class under every profile', () => {
    const kinds = KINDS.filter((kind) => kind.group === RBAC);
    expect(kinds).toHaveLength(4);
    for (const kind of kinds) expect(new Set(Object.values(kind.classes)).size).toBe(1);
  });

  it('has names and groups as the tenant wrote them', () => {
    const rules = [{ apiGroups: ['', '*', 'apps', 'acme--stable.example.com'], resources: ['x'], verbs: ['get'] }];
    const shown = [{ apiGroups: ['', '*', 'apps', 'stable.example.com'], resources: ['x'], verbs: ['get'] }];
    expect(view(acme, 'roles', stored('r', { rules }, 'acme--web'))).toMatchObject({
      metadata: { name: 'r', namespace: 'web' },
      rules: shown,
    });
    expect(view(acme, 'clusterroles', stored('acme--x--system03anode', { rules }))).toMatchObject({
      metadata: { name: 'system:node' },
      rules: shown,
    });
  });

  it('has subjects and roles of bindings as the tenant wrote them', () => {
    const local = bound('User/alice', { kind: 'ClusterRole', name: 'acme--reader' });
    expect(view(acme, 'rolebindings', stored('b', local, 'acme--web'))).toMatchObject({
      metadata: { name: 'b', namespace: 'web' },
      subjects: [{ kind: 'User', name: 'alice' }],
      roleRef: { kind: 'ClusterRole', name: 'reader' },
    });
    const wide = bound('ServiceAccount/web:bot', { kind: 'ClusterRole', name: 'acme--reader' });
    expect(view(acme, 'clusterrolebindings', stored('acme--b', wide))).toMatchObject({
      metadata: { name: 'b' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'web', name: 'bot' }],
      roleRef: { name: 'reader' },
    });
  });

  it('leaves what is stored as it is', () => {
    const object = stored('r', { rules: [{ apiGroups: ['acme--x.example.com'] }] }, 'acme--web');
    const before = structuredClone(object);
    expect(view(acme, 'roles', object)).not.toEqual(before);
    expect(object).toEqual(before);
  });

  it.each([
    ['in a namespace of another', stored('r', {}, 'globex--web')],
    ['that names a group of another', stored('r', { rules: [{ apiGroups: ['globex--x.example.com'] }] }, 'acme--web')],
  ])('is of no role %s', (_what, object) => {
    expect(() => view(acme, 'roles', object)).toThrow();
  });

  it('is of no binding to a subject that the tenant did not write', () => {
    const subjects = [{ kind: 'User', apiGroup: RBAC, name: 'kubernetes-admin' }];
    const object = stored('b', { subjects, roleRef: { apiGroup: RBAC, kind: 'Role', name: 'r' } }, 'acme--web');
    expect(() => view(acme, 'rolebindings', object)).toThrow();
  });
});
