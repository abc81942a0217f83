import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Identity } from '../exchange.ts';
import type { Informer, InformerEvent } from '../k8s/informer.ts';
import { namespaceOf } from '../k8s/meta.ts';
import type { Attributes } from '../k8s/rbac.ts';
import type { JsonObject } from '../k8s/types.ts';
import type { TenantId } from '../tenancy/names.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { RbacResource } from './rbac-index.ts';
import { createTenantRbac } from './tenant-rbac.ts';

const acme: Tenant = {
  id: 'acme' as TenantId,
  uid: 'u',
  createdAt: '',
  phase: 'Active',
  clientCaPem: '',
  policy: 'default',
};
const RESOURCES = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'] as const;

/** The tenant's RBAC, and a way to change it. Names upstream are those of the tenant behind `acme--`. */
function world() {
  const tell = new Map<RbacResource, (event: InformerEvent) => void>();
  const fed = (resource: RbacResource): Informer => ({
    synced: true,
    whenSynced: () => Promise.resolve(),
    get: () => undefined,
    list: () => [],
    note() {},
    forget() {},
    subscribe(listener) {
      tell.set(resource, listener);
      return () => {};
    },
  });
  const rbac = createTenantRbac({
    informers: Object.fromEntries(RESOURCES.map((resource) => [resource, fed(resource)])) as Record<
      RbacResource,
      Informer
    >,
    view: (_id, _resource, object) => JSON.parse(JSON.stringify(object).replaceAll('acme--', '')) as JsonObject,
    defaults: { clusterroles: [], clusterrolebindings: [] },
  });
  const change = (type: 'added' | 'deleted', resource: RbacResource, object: JsonObject) =>
    tell.get(resource)?.({ type, object });
  return { rbac, change };
}

function object(resource: RbacResource, name: string, rest: JsonObject): JsonObject {
  const metadata = resource.startsWith('cluster') ? { name: `acme--${name}` } : { namespace: 'acme--web', name };
  return { metadata, ...rest };
}

const some = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
const name = fc.constantFrom('a', 'b', 'c');
const rules = fc.array(
  fc.oneof(
    fc.record({
      verbs: some('get', 'list', '*'),
      apiGroups: some('', 'apps', '*'),
      resources: some('pods', 'pods/log', '*/log', '*'),
      resourceNames: fc.uniqueArray(name, { maxLength: 1 }),
    }),
    fc.record({ verbs: some('get'), nonResourceURLs: some('/api', '/ap*', '*') }),
  ),
  { maxLength: 2 },
);
const subjects = fc.uniqueArray(
  fc.record({ kind: fc.constantFrom('User', 'Group'), name: fc.constantFrom('alice', 'devs', 'ops') }),
  { maxLength: 2, selector: (subject) => JSON.stringify(subject) },
);
const change = fc.oneof(
  fc.tuple(fc.constantFrom('roles' as const, 'clusterroles' as const), name, fc.record({ rules })),
  fc.tuple(
    fc.constantFrom('rolebindings' as const, 'clusterrolebindings' as const),
    name,
    fc.record({ roleRef: fc.record({ kind: fc.constantFrom('Role', 'ClusterRole'), name }), subjects }),
  ),
);
const attributes: fc.Arbitrary<Attributes> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      isResource: fc.constant(true as const),
      verb: fc.constantFrom('get', 'list', 'create'),
      group: fc.constantFrom('', 'apps'),
      resource: fc.constantFrom('pods', 'secrets'),
      subresource: fc.constantFrom('', 'log'),
      namespace: fc.constantFrom('', 'web', 'none'),
      name: fc.oneof(name, fc.constant('')),
    }),
  },
  fc.record({ isResource: fc.constant(false as const), verb: fc.constant('get'), path: fc.constantFrom('/api', '/x') }),
);

describe('rights that are known from before', () => {
  it('are what they are without, after every change', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), change, fc.array(attributes, { maxLength: 6 })), { maxLength: 12 });
    fc.assert(
      fc.property(steps, fc.uniqueArray(fc.constantFrom('devs', 'ops')), (given, groups) => {
        const { rbac, change: make } = world();
        const alice: Identity = { username: 'alice', groups, uid: '', extra: {} };
        const asked: Attributes[] = [];
        for (const [isDeletion, [resource, of, rest], questions] of given) {
          make(isDeletion ? 'deleted' : 'added', resource, object(resource, of, rest as JsonObject));
          asked.push(...questions);
          for (const question of [...asked, ...asked, ...asked]) {
            expect(rbac.decide(acme, alice, question)).toEqual(rbac.decide(acme, { ...alice }, question));
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('stay right for more questions and namespaces than are kept', () => {
    const { rbac, change: make } = world();
    const reads = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    make('added', 'clusterroles', object('clusterroles', 'a', { rules: reads }));
    const bound = { roleRef: { kind: 'ClusterRole', name: 'a' }, subjects: [{ kind: 'User', name: 'alice' }] };
    const binding = object('rolebindings', 'a', bound);
    expect(namespaceOf(binding)).toBe('acme--web');
    make('added', 'rolebindings', binding);
    const alice: Identity = { username: 'alice', groups: [], uid: '', extra: {} };
    const pod = { isResource: true, verb: 'get', group: '', resource: 'pods', subresource: '', name: 'x' } as const;
    for (let at = 0; at < 5_000; at += 1) {
      expect(rbac.decide(acme, alice, { ...pod, namespace: 'web', resource: `r${at}` }).allowed).toBe(false);
      expect(rbac.decide(acme, alice, { ...pod, namespace: `n${at}` }).allowed).toBe(false);
      expect(rbac.decide(acme, alice, { ...pod, namespace: 'web' }).allowed).toBe(true);
    }
  });
});
